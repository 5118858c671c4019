// What pages show of passkeys: those of a person, and the form that asks the browser for one. The
// form is hidden without the script, and from browsers that have no passkeys.
import type { ComponentChildren } from 'preact';
import type { Passkey } from '../../../../core/domain/access/passkey.js';
import { ButtonForm, ButtonLink, foreign, Note } from '../../kit/components.js';
import { Table } from '../../kit/pages/table.js';
import { useDashboard } from '../dashboard-scene.js';

/** Below the root of all pages. `options`: for the browser, as JSON. */
export const passkeyPaths = {
  enter: '/dashboard/passkey',
  options: '/dashboard/passkey/options',
  add: '/dashboard/passkeys/add',
  addOptions: '/dashboard/passkeys/options',
} as const;

/** Signs in with any passkey, or proves again that a member is there. */
export function EnterByPasskey({ children }: { readonly children: ComponentChildren }) {
  const { texts } = useDashboard();
  const { failed } = texts.passkeys;
  const { enter, options } = passkeyPaths;
  return [
    <PasskeyRefused />,
    <ButtonForm to={enter} class="actions" passkey={{ kind: 'get', options, failed }}>
      {children}
    </ButtonForm>,
  ];
}

/** Shown once after an answer that was not accepted. */
export function PasskeyRefused() {
  const { texts, view } = useDashboard();
  if (!view.query.has('refused')) return null;
  return <Note look="warn" live text={texts.passkeys.refused} />;
}

export function PasskeySection({
  passkeys,
  hasRoom,
}: {
  readonly passkeys: readonly Passkey[];
  /** The member can add one. */
  readonly hasRoom: boolean;
}) {
  const { texts, view } = useDashboard();
  const words = texts.passkeys;
  return (
    <section class="stack-s">
      <h2>{words.heading}</h2>
      <p>{words.lede}</p>
      {passkeys.length === 0 ? null : <PasskeyTable passkeys={passkeys} />}
      <p class="actions">
        {hasRoom ? (
          <ButtonLink href={`${view.root}${passkeyPaths.add}`}>{words.add}</ButtonLink>
        ) : (
          words.full
        )}
      </p>
    </section>
  );
}

function PasskeyTable({ passkeys }: { readonly passkeys: readonly Passkey[] }) {
  const { texts, view, format } = useDashboard();
  const words = texts.passkeys;
  const { short } = format;
  return (
    <Table
      label={words.heading}
      rows={passkeys}
      columns={({ column, named }) => [
        named(texts.common.name, ({ id, name }) => (
          <a href={`${view.path}/passkeys/${id}`}>{foreign(name)}</a>
        )),
        column(words.added, 'when', ({ createdAtMs }) => short(createdAtMs)),
        column(texts.common.lastUsed, 'when', ({ usedAtMs }) =>
          usedAtMs === null ? words.never : short(usedAtMs),
        ),
      ]}
    />
  );
}
