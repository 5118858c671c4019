// The form of a subscription: its URL, and the events to send.
import type { VNode } from 'preact';
import { z } from 'zod';
import { eventNamespaces, eventTypes } from '../../../../core/domain/payments/event.js';
import { isCode } from '../../../../core/errors.js';
import { Button, Form } from '../../kit/components.js';
import { About, Checks, type FieldError, TextField } from '../../kit/fields.js';
import { FormKey } from '../../kit/form-key.js';
import { type DashboardScene, useDashboard } from '../dashboard-scene.js';

const URL_LENGTH_MAX = 2_048;
const EVERY = '*';

/** What boxes can be ticked for; each is the name of its box. */
const patterns = [EVERY, ...eventNamespaces.map(wildcardOf), ...eventTypes];

export const subscriptionForm = z.object({
  url: z.string().max(URL_LENGTH_MAX).default(''),
  ...Object.fromEntries(patterns.map((pattern) => [pattern, z.string().optional()])),
});

export interface TypedSubscription {
  readonly url: string;
  readonly eventTypes: readonly string[];
}

export function typedIn(form: z.infer<typeof subscriptionForm>): TypedSubscription {
  const ticked: Readonly<Record<string, unknown>> = form;
  return {
    url: form.url.trim(),
    eventTypes: patterns.filter((pattern) => ticked[pattern] !== undefined),
  };
}

export type SubscriptionRefusal = 'url' | 'events' | 'full';

/** What is wrong with a form before anything is stored; null for nothing that can be seen here. */
export function refusalOf({ eventTypes: ticked }: TypedSubscription): SubscriptionRefusal | null {
  return ticked.length === 0 ? 'events' : null;
}

/** The other parts of the form were checked before. */
export function urlRefused(error: unknown): SubscriptionRefusal {
  if (isCode(error, 'ValidationError')) return 'url';
  throw error;
}

export function errorsOf(
  { texts }: Pick<DashboardScene, 'texts'>,
  refusal: SubscriptionRefusal | null,
): readonly FieldError[] {
  if (refusal === null) return [];
  const words = texts.webhooks;
  if (refusal === 'events') return [{ field: EVERY, text: words.pickNone }];
  return [{ field: 'url', text: refusal === 'url' ? words.urlRefused : words.full }];
}

function wildcardOf(namespace: string): string {
  return `${namespace}.*`;
}

export function SubscriptionForm({
  to,
  formKey,
  typed,
  errors,
  submit,
}: {
  readonly to: string;
  /** The one-time key of a form that makes a subscription. */
  readonly formKey?: string;
  readonly typed: TypedSubscription;
  readonly errors: readonly FieldError[];
  readonly submit: string;
}): VNode {
  const { texts } = useDashboard();
  const words = texts.webhooks;
  const errorAt = (field: string) => errors.find((error) => error.field === field)?.text;
  return (
    <Form to={to} class="card">
      {formKey === undefined ? null : <FormKey value={formKey} />}
      <TextField
        name="url"
        label={words.url}
        hint={words.urlHint}
        error={errorAt('url')}
        type="url"
        value={typed.url}
        maxLength={URL_LENGTH_MAX}
        spellcheck={false}
      />
      <fieldset class="field">
        <legend>{words.pick}</legend>
        <About name={EVERY} hint={words.pickHint} error={errorAt(EVERY)} />
        <Checks
          name={EVERY}
          choices={[{ value: EVERY, label: words.every }]}
          chosen={typed.eventTypes}
          hint={words.pickHint}
          error={errorAt(EVERY)}
        />
        {eventNamespaces.map((namespace) => (
          <Namespace namespace={namespace} chosen={typed.eventTypes} />
        ))}
      </fieldset>
      <div class="actions gap-l">
        <Button look="primary">{submit}</Button>
      </div>
    </Form>
  );
}

/** All events of a namespace, or single ones. */
function Namespace({
  namespace,
  chosen,
}: {
  readonly namespace: (typeof eventNamespaces)[number];
  readonly chosen: readonly string[];
}): VNode {
  const { texts } = useDashboard();
  const wildcard = wildcardOf(namespace);
  const types = eventTypes.filter((type) => type.startsWith(`${namespace}.`)).toSorted();
  const single = types.map((type) => ({ value: type, label: <span class="code">{type}</span> }));
  const all = (
    <>
      {texts.webhooks.allOf[namespace]} <span class="code quiet">{wildcard}</span>
    </>
  );
  return (
    <>
      <Checks name={wildcard} choices={[{ value: wildcard, label: all }]} chosen={chosen} />
      <details class="inset" open={types.some((type) => chosen.includes(type))}>
        <summary>
          {texts.webhooks.single} <span class="vh">{namespace}</span>
        </summary>
        <Checks name={`${namespace}-types`} choices={single} chosen={chosen} />
      </details>
    </>
  );
}
