// The fields of a webhook subscription: its URL, and the events to send.
import { eventNamespaces, eventTypes } from '../../../../core/domain/payments/event.js';
import { About, Checks } from '../../kit/fields.js';
import { type DeclaredField, text, tickedOf } from '../../kit/pages/form-page.js';
import { type DashboardScene, useDashboard } from '../dashboard-scene.js';

const URL_LENGTH_MAX = 2_048;
const EVERY = '*';

/** What boxes can be ticked for; each is the name of its box. */
const patterns = [EVERY, ...eventNamespaces.map(wildcardOf), ...eventTypes];

export function subscriptionFields({ texts: { webhooks: words } }: DashboardScene) {
  const events: DeclaredField<readonly string[]> = {
    control: EVERY,
    read(typed) {
      const value = tickedOf(patterns, typed);
      return value.length === 0 ? { problem: words.pickNone } : { value };
    },
    show: (_, typed, error) => <Events chosen={tickedOf(patterns, typed)} error={error} />,
  };
  return {
    url: text({
      label: words.url,
      hint: words.urlHint,
      type: 'url',
      max: URL_LENGTH_MAX,
      spellcheck: false,
      problem: words.urlRefused,
    }),
    events,
  };
}

/** The boxes that are ticked, as a form sends them. */
export function tickedBoxes(types: readonly string[]) {
  return Object.fromEntries(types.map((type) => [type, 'yes']));
}

function wildcardOf(namespace: string): string {
  return `${namespace}.*`;
}

function Events({
  chosen,
  error,
}: Readonly<{ chosen: readonly string[]; error: string | undefined }>) {
  const words = useDashboard().texts.webhooks;
  const every = { hint: words.pickHint, error };
  return (
    <fieldset class="field">
      <legend>{words.pick}</legend>
      <About name={EVERY} {...every} />
      <Checks
        name={EVERY}
        choices={[{ value: EVERY, label: words.every }]}
        chosen={chosen}
        {...every}
      />
      {eventNamespaces.map((namespace) => (
        <Namespace namespace={namespace} chosen={chosen} />
      ))}
    </fieldset>
  );
}

/** All events of a namespace, or single ones. */
function Namespace({
  namespace,
  chosen,
}: Readonly<{ namespace: (typeof eventNamespaces)[number]; chosen: readonly string[] }>) {
  const { texts } = useDashboard();
  const wildcard = wildcardOf(namespace);
  const types = eventTypes.filter((type) => type.startsWith(`${namespace}.`)).toSorted();
  const single = types.map((type) => ({ value: type, label: <span class="code">{type}</span> }));
  const all = (
    <>
      {texts.webhooks.allOf[namespace]} <span class="code quiet">{wildcard}</span>
    </>
  );
  return [
    <Checks name={wildcard} choices={[{ value: wildcard, label: all }]} chosen={chosen} />,
    <details class="inset" open={types.some((type) => chosen.includes(type))}>
      <summary>
        {texts.webhooks.single} <span class="vh">{namespace}</span>
      </summary>
      <Checks name={`${namespace}-types`} choices={single} chosen={chosen} />
    </details>,
  ];
}
