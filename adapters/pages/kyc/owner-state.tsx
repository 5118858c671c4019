// How far an owner's part of the KYC form is, in words, and the role that the owner has.
import { type Asked, askedFor } from '../../../core/domain/hosted/kyc-draft.js';
import { Time } from '../kit/components.js';
import { Icon } from '../kit/icons.js';
import { type KycScene, valuesOf } from './kyc-scene.js';

export function roleOf({ form, words }: KycScene, owner: number): string | null {
  const roles: Readonly<Record<string, string>> = words.roles;
  const role = valuesOf({ form }, owner)['role'];
  return typeof role === 'string' ? (roles[role] ?? null) : null;
}

/** In words: asked, done, or how much is missing. */
export function OwnerState({ scene, owner }: Readonly<{ scene: KycScene; owner: number }>) {
  const { form, words } = scene;
  const asked = askedFor(form.draft, owner);
  if (asked !== null) return <AskedState scene={scene} asked={asked} />;
  const own = form.steps.flatMap(({ missing }) => missing.filter((place) => place.owner === owner));
  const [look, icon] = own.length === 0 ? (['ok', 'ok'] as const) : (['bad', 'alert'] as const);
  return (
    <span class={`state ${look}`}>
      <Icon name={icon} />
      <span>{own.length === 0 ? words.owners.complete : words.missingCount(own.length)}</span>
    </span>
  );
}

export function AskedState({ scene, asked }: Readonly<{ scene: KycScene; asked: Asked }>) {
  const { owners } = scene.words;
  const { askedAtMs, doneAtMs } = asked;
  const isDone = doneAtMs !== null;
  return (
    <span class={`state ${isDone ? 'ok' : 'wait'}`}>
      <Icon name={isDone ? 'ok' : 'clock'} />
      <span>
        {isDone
          ? owners.done(<Time atMs={doneAtMs} as="day" />)
          : owners.asked(<Time atMs={askedAtMs} as="day" />)}
      </span>
    </span>
  );
}
