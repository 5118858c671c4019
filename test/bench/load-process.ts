// The process that runs the load generator (load-generator.ts).
import { serveCalls } from './child-calls.js';
import { playLoad } from './load-generator.js';

const calls = { play: playLoad };
export type LoadCalls = { play(job: Parameters<typeof playLoad>[0]): ReturnType<typeof playLoad> };

serveCalls(calls);
