// The load generator as a process of its own; load-generator.ts says what it plays.
import { serveCalls } from './child-calls.js';
import { playLoad } from './load-generator.js';

const calls = { play: playLoad };
export type LoadCalls = { play(job: Parameters<typeof playLoad>[0]): ReturnType<typeof playLoad> };

serveCalls(calls);
