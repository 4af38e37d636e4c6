"""Copies of archived runs for other seeds and windows: copies.py SEEDS FOLDER ARCHIVE..."""

import json
import pathlib
import sys
import zipfile

WINDOWS = [20, 50, 100, 150, 200, 250, 300, 400, 600]


def copy(source, folder, seed, window):
    run = json.loads(source.read("run.json"))
    run["seed"] = seed
    if window:
        run["policy"] = f"auction+window-{window}"
        run["policy_parameters"]["window"] = window
    run["id"] = f"S-V.1-{run['policy']}-26.05-seed{seed}"
    with zipfile.ZipFile(folder / (run["id"] + ".zip"), "w", zipfile.ZIP_DEFLATED) as target:
        target.writestr("run.json", json.dumps(run, indent=2))
        for name in source.namelist():
            if name != "run.json":
                target.writestr(name, source.read(name))


def main():
    seeds, folder = int(sys.argv[1]), pathlib.Path(sys.argv[2])
    folder.mkdir(exist_ok=True)
    for path in sys.argv[3:]:
        with zipfile.ZipFile(path) as source:
            windows = WINDOWS if "auction" in path else [None]
            for seed in range(1, seeds + 1):
                for window in windows:
                    copy(source, folder, seed, window)


main()
