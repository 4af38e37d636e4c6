// What the server is asked. Addresses are relative, so that the token stays in them.

// ask gets JSON. With the stamp of an earlier answer it gives null where nothing changed.
export async function ask(path, stamp) {
  const answer = await fetch(path, { headers: stamp ? { 'If-None-Match': stamp } : {}, cache: 'no-store' });
  if (answer.status === 304) return null;
  if (!answer.ok) throw new Error((await answer.text()).trim() || `the server answers ${answer.status}`);
  return { data: await answer.json(), stamp: answer.headers.get('ETag') };
}

// askText gets words, or the error of the server in words.
export async function askText(path) {
  const answer = await fetch(path, { cache: 'no-store' });
  return { text: (await answer.text()).trim(), good: answer.ok };
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
