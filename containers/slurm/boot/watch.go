package boot

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/fsnotify/fsnotify"
)

// Watch reports each restart of a daemon after the ones that s knows, as soon as the daemon serves again. It returns
// when ctx ends, with its cause, or when the cluster is broken, with a *DaemonError. The clock stays held until the
// watchers have been woken.
func (s State) Watch(ctx context.Context, restarted func(Restart)) error {
	return watch(ctx, StatePath, len(s.Restarts), restarted)
}

func watch(ctx context.Context, path string, known int, restarted func(Restart)) error {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("watch the cluster: %w", err)
	}
	defer func() { _ = watcher.Close() }()
	// The file is replaced whenever it is saved, so that its folder is to be watched.
	if err := watcher.Add(filepath.Dir(path)); err != nil {
		return fmt.Errorf("watch the cluster: %w", err)
	}
	for {
		now, err := read(path)
		if err != nil {
			return fmt.Errorf("watch the cluster: %w", err)
		}
		for _, r := range now.Restarts[min(known, len(now.Restarts)):] {
			restarted(r)
		}
		known = len(now.Restarts)
		if now.Broken != nil {
			return now.Broken
		}
		if err := saved(ctx, watcher, path); err != nil {
			return err
		}
	}
}

// saved waits until the file may have been saved.
func saved(ctx context.Context, watcher *fsnotify.Watcher, path string) error {
	for {
		select {
		case event := <-watcher.Events:
			if event.Name == path {
				return nil
			}
		case err := <-watcher.Errors:
			if errors.Is(err, fsnotify.ErrEventOverflow) {
				return nil
			}
			return fmt.Errorf("watch the cluster: %w", err)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
