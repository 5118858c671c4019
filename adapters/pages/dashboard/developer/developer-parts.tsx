// What the pages of webhooks, events and keys share: a secret that is shown once, code in a box,
// and the links between them.
import type { ComponentChildren, VNode } from 'preact';
import type { WebhookDelivery } from '../../../../core/domain/webhooks/webhook-delivery.js';
import { Copy, Scroll } from '../../kit/components.js';
import { useDashboard } from '../dashboard-scene.js';
import { Badge } from '../payment-parts.js';

/** Nothing stores the text: the answer to the form is the only page that has it. */
export function Secret({ text, label }: { readonly text: string; readonly label: string }): VNode {
  return (
    <div class="secret">
      <code>{text}</code>
      <Copy value={text} label={label} />
    </div>
  );
}

export function Code({ text, label }: { readonly text: string; readonly label: string }): VNode {
  return (
    <Scroll label={label}>
      <pre lang="" dir="auto">
        {text}
      </pre>
    </Scroll>
  );
}

export interface Fact {
  readonly label: string;
  readonly value: ComponentChildren;
}

/** `across`: side by side, where there is room. */
export function Facts({
  facts,
  across,
}: {
  readonly facts: readonly (Fact | null)[];
  readonly across?: true;
}): VNode {
  return (
    <dl class={across ? 'facts across' : 'facts'}>
      {facts.map((fact) =>
        fact === null ? null : (
          <div>
            <dt>{fact.label}</dt>
            <dd>{fact.value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

/** Without its scheme, which is https. */
export function shownUrl(url: string): string {
  return url.replace(/^https:\/\//, '');
}

/** A name or URL that may break behind its signs. */
export function Breakable({ text }: { readonly text: string }): VNode {
  return (
    <>
      {text.split(/(?<=[._/:])/).map((piece, at) => (
        <>
          {at === 0 ? null : <wbr />}
          {piece}
        </>
      ))}
    </>
  );
}

/** The status that a server answered with, or why there is none. */
export function Answer({
  responseStatus,
  error,
}: {
  readonly responseStatus: number | null;
  readonly error: string | null;
}): VNode {
  if (responseStatus === null) return <span lang="en">{error ?? '–'}</span>;
  return <span>{responseStatus}</span>;
}

/** Pending is shown as a retry once an attempt has failed. */
export function DeliveryBadge({
  delivery: { status, lastError },
  pill,
}: {
  readonly delivery: WebhookDelivery;
  readonly pill?: true;
}): VNode {
  const { texts } = useDashboard();
  const isFirst = status === 'pending' && lastError === null;
  const text = isFirst ? texts.deliveryPage.sending : texts.delivery[status];
  return <Badge look={status} text={text} {...(pill ? { pill } : {})} />;
}

/** The state of a delivery, and below it the last answer. */
export function DeliveryState({ delivery }: { readonly delivery: WebhookDelivery }): VNode {
  const { responseStatus, lastError } = delivery;
  const isAnswered = responseStatus !== null || lastError !== null;
  return (
    <>
      <DeliveryBadge delivery={delivery} />
      {isAnswered ? (
        <span class="sub">
          <Answer responseStatus={responseStatus} error={lastError} />
        </span>
      ) : null}
    </>
  );
}

export function deliveryPath(
  path: string,
  { subscriptionId, id }: Pick<WebhookDelivery, 'subscriptionId' | 'id'>,
): string {
  return `${path}/webhooks/${subscriptionId}/deliveries/${id}`;
}

/** Null for a subject without a page. */
export function subjectPath(path: string, subjectId: string): string | null {
  if (/^(pi|inv)_/.test(subjectId)) return `${path}/payments/${subjectId}`;
  return /^whs_/.test(subjectId) ? `${path}/webhooks/${subjectId}` : null;
}
