// The request of an organization for production access, which an operator grants or refuses. After
// a refusal the organization may ask again: that is another request.
import { machine } from '../base/machine.js';
import type { CertifySummary } from './certify-summary.js';

const productionMoves = {
  requested: { grant: 'granted', refuse: 'refused' },
  granted: {},
  refused: {},
} as const;

const requests = machine(productionMoves);
export const productionStates = requests.states;
export type ProductionState = keyof typeof productionMoves;

/** Maximum length of an answer and of the reason of a refusal, in characters. */
export const ANSWER_LENGTH_MAX = 1_000;

/** What the operator asks, in this order. */
export const productionQuestions = ['sells', 'customers', 'monthlyVolume'] as const;
export type ProductionQuestion = (typeof productionQuestions)[number];
export type ProductionAnswers = Readonly<Record<ProductionQuestion, string>>;

export interface ProductionRequest {
  readonly orgId: string;
  readonly id: string;
  /** The id of the member who asked. */
  readonly requestedBy: string;
  readonly answers: ProductionAnswers;
  /** What the last run of `ponte certify` found; null: no report was sent. */
  readonly certified: CertifySummary | null;
  readonly state: ProductionState;
  /** The names of the operators who decided; null while it waits. */
  readonly decidedBy: string | null;
  readonly decidedAtMs: number | null;
  /** Why it was refused, in words for the organization. */
  readonly reason: string | null;
  readonly createdAtMs: number;
  readonly version: number;
}

export function decidedRequest(
  request: ProductionRequest,
  move: 'grant' | 'refuse',
  decision: Pick<ProductionRequest, 'decidedBy' | 'reason'>,
  nowMs: number,
): ProductionRequest {
  const state = requests.step(request.state, move);
  return Object.freeze({ ...request, ...decision, state, decidedAtMs: nowMs });
}
