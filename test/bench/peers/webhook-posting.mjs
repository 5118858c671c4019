// What a job of either queue does: post the body to the receiver with undici, over as many kept
// connections as Ponte opens to a receiver that keeps up. Anything but 2xx fails the job.
import { Pool } from 'undici';

export const CONCURRENCY = 256;

export function poster(url) {
  const { origin, pathname } = new URL(url);
  const pool = new Pool(origin, { connections: CONCURRENCY, pipelining: 1 });
  const headers = { 'content-type': 'application/json' };
  return async ({ body }) => {
    const answer = await pool.request({ method: 'POST', path: pathname, headers, body });
    await answer.body.dump();
    if (answer.statusCode >= 300) throw new Error(`answered ${answer.statusCode}`);
  };
}
