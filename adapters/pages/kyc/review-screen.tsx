// The last page of the KYC form: all answers with a way back to each, what is still missing or to
// be corrected, who sees the data, and the button that sends it.
import type { ComponentChildren } from 'preact';
import { askedFor } from '../../../core/domain/hosted/kyc-draft.js';
import {
  askedFiles,
  fieldsFor,
  isAwaited,
  isComplete,
  type KycPage,
  type KycStep,
  kycStepsOf,
  ownerPages,
  type PlacedCorrection,
} from '../../../core/domain/hosted/kyc-form.js';
import { LegalItems, type ScreenContent } from '../hosted/layout.js';
import { ButtonForm, type FactRow, Note, Rows } from '../kit/components.js';
import { nameOf } from '../kit/plain-text.js';
import { Shown } from './field-controls.js';
import {
  correctionText,
  fieldName,
  hrefOf,
  type KycScene,
  ownerName,
  pathOfOwner,
  placeName,
  stepFrame,
  textOf,
  valuesOf,
} from './kyc-scene.js';
import { OwnerState, roleOf } from './owner-state.js';

/** `refused`: what the partner did not take when it was sent. */
export function reviewScreen(
  scene: KycScene,
  refused: readonly PlacedCorrection[] = [],
): ScreenContent {
  const { form, words, view } = scene;
  const isReady = isComplete(form, form.steps);
  const org = nameOf(view.organization?.name ?? '');
  return stepFrame(scene, 'review', {
    title: words.steps.review,
    lede: words.review.lede,
    errors: refused.map((one) => ({ field: 'main', text: correctionText(scene, one) })),
    body: [
      <ToDo scene={scene} />,
      kycStepsOf(form).map((step) => <Block scene={scene} step={step} />),
      <section class="stack-s">
        <h2>{words.review.who}</h2>
        <p>{words.review.whoText(org)}</p>
        {view.legal.privacyUrl === null && view.legal.termsUrl === null ? null : (
          <ul class="links">
            <LegalItems />
          </ul>
        )}
      </section>,
      isReady ? (
        <ButtonForm to="kyc/review" class="actions" values={{ form: form.version }} look="primary">
          {words.review.send}
        </ButtonForm>
      ) : null,
    ],
  });
}

function ToDo({ scene }: { readonly scene: KycScene }) {
  const { form, words } = scene;
  const missing = form.steps
    .flatMap((step) => step.missing)
    .filter((place) => !isAwaited(form, place));
  const waiting = form.draft.asked.filter(
    ({ owner, doneAtMs }) => owner !== null && doneAtMs === null,
  );
  if (missing.length + form.corrections.length + waiting.length === 0) return null;
  return (
    <Note look="warn">
      <p>{words.review.toDo}</p>
      <ul class="howto">
        {form.corrections.map((one) => (
          <li>
            {one.place === null ? (
              correctionText(scene, one)
            ) : (
              <a href={hrefOf(scene, one.place)}>{correctionText(scene, one)}</a>
            )}
          </li>
        ))}
        {missing.map((place) => (
          <li>
            <a href={hrefOf(scene, place)}>
              {placeName(scene, place)}: {words.documents.missing}
            </a>
          </li>
        ))}
        {waiting.map(({ owner }) => (
          <li>{owner === null ? null : words.waitingFor(ownerName(scene, owner))}</li>
        ))}
      </ul>
    </Note>
  );
}

function Block({ scene, step }: Readonly<{ scene: KycScene; step: KycStep }>) {
  const { form, words, view } = scene;
  if (step === 'review') return null;
  if (step === 'owners') {
    return form.draft.ownerNumbers.map((owner) => <OwnerBlock scene={scene} owner={owner} />);
  }
  const href = `${view.path}/kyc/${step}`;
  return <Card scene={scene} title={words.steps[step]} href={href} rows={rowsOf(scene, step)} />;
}

function rowsOf(scene: KycScene, step: KycStep): readonly FactRow[] {
  const { form, words } = scene;
  if (step === 'type') {
    const { entityType } = form.draft;
    const value = entityType === null ? words.documents.missing : words.types[entityType];
    return [{ label: words.steps.type, value }];
  }
  if (step === 'terms') {
    const isAccepted = textOf(form.draft.dossier.tosId) !== null;
    const value = isAccepted ? words.terms.accepted : words.documents.missing;
    return [{ label: words.steps.terms, value }];
  }
  if (step === 'documents') return fileRows(scene, null);
  return fieldRows(scene, step, null);
}

function fieldRows(scene: KycScene, page: KycPage, owner: number | null): readonly FactRow[] {
  const { form, words } = scene;
  return fieldsFor(form, page, owner, form.author).flatMap(({ field, isRequired }) => {
    const isBlank = textOf(valuesOf(scene, owner)[field]) === null;
    if (isBlank && !isRequired) return [];
    const shown = <Shown scene={scene} place={{ field, owner }} />;
    return [{ label: words.fields[field], value: isBlank ? words.documents.missing : shown }];
  });
}

function fileRows(scene: KycScene, owner: number | null): readonly FactRow[] {
  const { form, words } = scene;
  const files = askedFiles(form).filter((file) => file.owner === owner);
  return files.map(({ field }) => ({
    label: fieldName(scene, { field, owner }),
    value:
      textOf(valuesOf(scene, owner)[field]) === null
        ? words.documents.missing
        : words.documents.received,
  }));
}

function OwnerBlock({ scene, owner }: { readonly scene: KycScene; readonly owner: number }) {
  const { form, words, view } = scene;
  const asked = askedFor(form.draft, owner);
  const title = ownerName(scene, owner);
  const href = `${view.path}/${pathOfOwner(scene, owner)}`;
  if (asked === null) {
    const own = ownerPages.flatMap((page) => fieldRows(scene, page, owner));
    const rows = [...own, ...fileRows(scene, owner)];
    return <Card scene={scene} title={title} href={href} rows={rows} />;
  }
  const role = roleOf(scene, owner);
  const rows = role === null ? [] : [{ label: words.fields.role, value: role }];
  return (
    <Card scene={scene} title={title} href={href} rows={rows}>
      <p>
        <OwnerState scene={scene} owner={owner} />
      </p>
      <p class="small quiet">{words.review.filledBy(<b>{asked.email}</b>)}</p>
    </Card>
  );
}

function Card({
  scene,
  title,
  href,
  rows,
  children,
}: {
  readonly scene: KycScene;
  readonly title: string;
  readonly href: string;
  readonly rows: readonly FactRow[];
  readonly children?: ComponentChildren;
}) {
  const { review } = scene.words;
  return (
    <section class="card">
      <div class="line ends">
        <h2>{title}</h2>
        <a href={href} aria-label={review.changeOf(title)}>
          {scene.texts.frame.change}
        </a>
      </div>
      {rows.length === 0 ? null : <Rows rows={rows} />}
      {children}
    </section>
  );
}
