// What the server is asked. Addresses are relative, so that the token stays in them.

// ask gets JSON. With the stamp of an earlier answer it gives null where nothing changed.
export async function ask(path, stamp) {
  const answer = await fetch(path, { headers: stamp ? { 'If-None-Match': stamp } : {}, cache: 'no-store' });
  if (answer.status === 304) return null;
  if (!answer.ok) throw new Error((await answer.text()).trim() || `the server answers ${answer.status}`);
  return { data: await answer.json(), stamp: answer.headers.get('ETag') };
}

// every calls back again and again until the signal, never twice at a time. A page that
// nobody sees waits.
export function every(milliseconds, callback, signal) {
  const next = () => {
    const timer = setTimeout(async () => {
      if (!document.hidden) await callback();
      if (!signal.aborted) next();
    }, milliseconds);
    signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  };
  next();
}

// follow calls back with the runs of a folder, and again each time they are others than
// before or in another state, until the signal. What is on the page stays where a later call
// fails.
export async function follow(folder, callback, signal) {
  const look = async () => (await ask('api/list')).data.folders.find(({ key }) => key === folder)?.runs ?? [];
  const states = (runs) => JSON.stringify(runs.map((run) => [run.key, run.status, run.under_way]));
  const first = await look();
  let before = states(first);
  await callback(first);
  every(3000, async () => {
    const runs = await look().catch(() => null);
    if (!runs || states(runs) === before || signal.aborted) return;
    await callback(runs).then(() => { before = states(runs); }, () => {});
  }, signal);
}
