// What a receiver answered to a webhook, in one line of the reader's language.
import { sendFailureOf } from '../../../../core/domain/webhooks/send-failure.js';
import type { WebhookDelivery } from '../../../../core/domain/webhooks/webhook-delivery.js';
import type { DashboardScene } from '../dashboard-scene.js';

/** Longer excerpts do not fit into a row of a list. */
const EXCERPT_MAX = 80;
/** Members of an answer that say what was wrong, the clearest first. */
const spoken = ['message', 'error', 'detail', 'title', 'code', 'reason'];

type Words = Pick<DashboardScene, 'texts'>;

export interface AttemptAnswer {
  readonly responseStatus: number | null;
  readonly error: string | null;
  readonly body?: string | null;
}

/** `401 invalid_signature`, or why there was no answer. */
export function answerText(
  { texts }: Words,
  { responseStatus, error, body }: AttemptAnswer,
): string {
  if (responseStatus !== null) return `${responseStatus} ${excerptOf(body ?? '')}`.trim();
  return error === null ? '–' : failureText({ texts }, error);
}

/** The same of the last attempt, by the row of its delivery. */
export function lastAnswerText(
  words: Words,
  { responseStatus, lastError: error }: Pick<WebhookDelivery, 'responseStatus' | 'lastError'>,
): string {
  return answerText(words, { responseStatus, error });
}

function failureText({ texts }: Words, sentence: string): string {
  const found = sendFailureOf(sentence);
  return found === null ? sentence : texts.webhooks.failures[found.failure](found.detail);
}

/** The words of an answer: of JSON its message, of HTML its title, else its first line. */
export function excerptOf(body: string): string {
  const words = (jsonWords(body) ?? htmlWords(body) ?? body.trimStart().split(/[\r\n]/, 1)[0] ?? '')
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .trim();
  const characters = [...words];
  if (characters.length <= EXCERPT_MAX) return words;
  return `${characters.slice(0, EXCERPT_MAX - 1).join('')}…`;
}

function jsonWords(body: string): string | null {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return null;
  }
  return wordsIn(value) ?? '';
}

function wordsIn(value: unknown): string | null {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return null;
  const members = new Map<string, unknown>(Object.entries(value));
  for (const name of spoken) {
    const words = wordsIn(members.get(name));
    if (words !== null) return words;
  }
  return null;
}

/** Null for text without marks. */
function htmlWords(body: string): string | null {
  if (!/^\s*<[!a-z?]/i.test(body)) return null;
  const title = /<(title|h1)\b[^<>]*>([^<]*)/i.exec(body)?.[2];
  return title ?? '';
}
