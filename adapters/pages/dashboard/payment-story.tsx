// What happened to a payment, newest first: people and money in sentences, and apart from them what
// machines did.
import { Foreign } from '../kit/components.js';
import { useDashboard } from './dashboard-scene.js';
import type { Detail } from './payment-detail-pages.js';
import { attemptOf, calledOf, type StoryLine, storyLineOf } from './story-lines.js';

interface Part {
  readonly detail: Pick<Detail, 'payment' | 'history' | 'attempts' | 'creator' | 'approver'>;
}

export function History({ detail }: Part) {
  const scene = useDashboard();
  const lines = detail.history.flatMap((entry) => {
    const one = storyLineOf(scene, detail, entry);
    return one === null ? [] : [{ ...one, atMs: entry.atMs }];
  });
  return <Log lines={lines.toReversed()} />;
}

export function TechnicalLog({ detail }: Part) {
  const scene = useDashboard();
  const { texts } = scene;
  const calls = detail.history.flatMap((entry) => {
    const one = calledOf(scene, entry);
    return one === null ? [] : [{ ...one, atMs: entry.atMs }];
  });
  const attempts = detail.attempts.map((attempt) => attemptOf(scene, attempt));
  const lines = [...calls, ...attempts].toSorted((left, right) => right.atMs - left.atMs);
  if (lines.length === 0) return null;
  return (
    <details>
      <summary>{texts.payment.technical(calls.length, attempts.length)}</summary>
      <Log lines={lines} />
    </details>
  );
}

function Log({ lines }: Readonly<{ lines: readonly (StoryLine & { readonly atMs: number })[] }>) {
  const { format } = useDashboard();
  return (
    <ol class="timeline">
      {lines.map(({ atMs, text, note = null, isCode = false, by = null, look }) => (
        <li class={look}>
          <time dateTime={new Date(atMs).toISOString()}>{format.exact(atMs)}</time>
          <div>
            <p>
              {text}
              {by === null ? null : <span class="quiet"> {by}</span>}
            </p>
            {note === null ? null : (
              <p>{isCode ? <span class="code">{note}</span> : <Foreign text={note} />}</p>
            )}
          </div>
        </li>
      ))}
    </ol>
  );
}
