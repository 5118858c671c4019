// What every page of the KYC form gets, and the frame that they share: the number of the step, the
// list of steps with what is missing, and the summary of errors.
import type { ComponentChildren } from 'preact';
import type { EmailProblem } from '../../../core/domain/base/email-address.js';
import { partOf } from '../../../core/domain/hosted/kyc-draft.js';
import type {
  FieldPlace,
  FieldProblem,
  FormField,
  Typed,
} from '../../../core/domain/hosted/kyc-fields.js';
import {
  isAwaited,
  type KycStep,
  kycPageOf,
  kycStepsOf,
  type OwnerPage,
  type PlacedCorrection,
  stepOf,
} from '../../../core/domain/hosted/kyc-form.js';
import type { VerificationKind } from '../../../core/domain/parties/document.js';
import type { Dossier, Owner } from '../../../core/domain/parties/dossier.js';
import type { KycForm, PageProblems } from '../../../core/usecases/hosted/kyc-forms.js';
import type { documentLimits } from '../../../core/usecases/hosted/page-documents.js';
import type { ScreenContent } from '../hosted/layout.js';
import type { PageView } from '../hosted/page-view.js';
import type { Scene } from '../hosted/scene.js';
import { Time } from '../kit/components.js';
import type { FieldError } from '../kit/fields.js';
import { nameOf } from '../kit/plain-text.js';
import { kycCatalogues } from './kyc-texts.js';
import type { KycTexts } from './texts/kyc-en.js';

export type Limits = Readonly<Record<VerificationKind, ReturnType<typeof documentLimits>>>;

/** The scene of a page that is shown without a session. */
export interface BareScene extends Scene {
  readonly words: KycTexts;
}

/** What the control of a field follows from. */
export interface FieldScene {
  readonly words: KycTexts;
  readonly view: Pick<PageView, 'locale'>;
  readonly form: Pick<KycForm, 'draft' | 'author' | 'corrections'>;
  /** What was typed and had a problem; empty when the page is opened. */
  readonly typed: Typed;
  readonly problems: PageProblems;
}

export interface KycScene extends BareScene, FieldScene {
  readonly view: PageView;
  readonly form: KycForm;
  /** Why the mail address that was typed is none; null: it is one, or none was typed. */
  readonly addressProblem: EmailProblem | null;
}

export type KycFacts = Pick<KycScene, 'form' | 'typed' | 'problems' | 'addressProblem'>;

export function kycScene(scene: Scene, facts: KycFacts): KycScene {
  const words = kycCatalogues[scene.view.locale];
  return { ...scene, ...facts, words: facts.form.role === 'seller' ? sellerWords(words) : words };
}

function sellerWords(words: KycTexts): KycTexts {
  const { whyText, ...headings } = words.seller;
  return { ...words, ...headings, documents: { ...words.documents, whyText } };
}

/** Below the path of the page. An owner's session has one owner. */
export function pathOfPart({ form }: Pick<KycScene, 'form'>, owner: number | null): string {
  return owner === null || form.author === 'owner' ? 'kyc' : `kyc/owners/${owner}`;
}

export function pathOfOwner(
  { form }: Pick<KycScene, 'form'>,
  owner: number,
  page: OwnerPage = 'owner',
): string {
  const part = page === 'owner' ? '' : '/papers';
  return `${form.author === 'owner' ? 'kyc/owner' : `kyc/owners/${owner}`}${part}`;
}

/** The values of the party or an owner. */
export function valuesOf({ form }: Pick<FieldScene, 'form'>, owner: number | null) {
  return { ...partOf(form.draft, owner) } as Readonly<Record<string, unknown>>;
}

export function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** What the names of persons and fields follow from. */
export type Named = Readonly<{ form: Pick<KycForm, 'draft'>; words: KycTexts }>;

/** `Priya Raman`, or `Owner 2`. */
export function ownerName({ form, words }: Named, owner: number): string {
  const { firstName, lastName }: Owner = partOf(form.draft, owner) ?? {};
  const name = nameOf([firstName, lastName].filter(Boolean).join(' '));
  return name === '' ? words.owners.nameless(form.draft.ownerNumbers.indexOf(owner) + 1) : name;
}

/** `Harbor & Pine Roasters, Inc.`, or `Company`. */
export function partyName({ form, words }: Pick<KycScene, 'form' | 'words'>): string {
  const { legalName, firstName, lastName }: Dossier = form.draft.dossier;
  const isCompany = form.draft.entityType === 'business';
  const name = isCompany ? legalName : [firstName, lastName].filter(Boolean).join(' ');
  return nameOf(name ?? '') || words.steps[isCompany ? 'company' : 'person'];
}

/** The id of the control of a field; of a file, also with its owner. */
export function controlId({ field, owner }: FieldPlace): string {
  return field.endsWith('File') && owner !== null ? `${field}-${owner}` : field;
}

/** What the partner says about a field; null if nothing. */
export function correctionOf({ form, words }: FieldScene, place: FieldPlace): string | null {
  const found = form.corrections.find(
    (one) => one.place?.field === place.field && one.place.owner === place.owner,
  );
  return found === undefined ? null : (found.reason ?? words.correct);
}

/** The message at a field. */
export function problemAt(scene: FieldScene, place: FieldPlace): string | undefined {
  const problem = scene.problems?.[place.field];
  if (problem !== undefined) return problemText(scene, place.field, problem);
  return correctionOf(scene, place) ?? undefined;
}

/** What is missing is named; other problems stand beside the name of the field. */
function problemText({ words }: FieldScene, field: FormField, problem: FieldProblem): string {
  const toEnter: Readonly<Partial<Record<FormField, string>>> = words.enter;
  if (problem !== 'missing') return words.problems[problem];
  return toEnter[field] ?? words.problems.missing;
}

/** The summary of a page with these fields. */
export function errorsOf(scene: FieldScene, places: readonly FieldPlace[]): readonly FieldError[] {
  return places.flatMap((place) => {
    const text = problemAt(scene, place);
    if (text === undefined) return [];
    const isNamed = scene.problems?.[place.field] === 'missing';
    const label = scene.words.fields[place.field];
    return [{ field: controlId(place), text: isNamed ? text : `${label}: ${text}` }];
  });
}

/** A page of the form inside the frame. */
export function stepFrame(
  scene: KycScene,
  step: KycStep,
  content: Pick<ScreenContent, 'title' | 'lede' | 'errors' | 'body'> & Partial<ScreenContent>,
): ScreenContent {
  const { form, words } = scene;
  const steps = kycStepsOf(form);
  // The choice of the type decides how many there are.
  const isCounted = form.author === 'buyer' && steps.length > 1;
  const eyebrow = isCounted ? words.stepOf(steps.indexOf(step) + 1, steps.length) : undefined;
  const isPayer = form.author === 'buyer' && form.role === 'buyer';
  const framed = { station: isPayer ? 'payer' : null, ...content } as const;
  const aside = form.author === 'buyer' ? <Steps scene={scene} current={step} /> : undefined;
  return { ...framed, ...(eyebrow === undefined ? {} : { eyebrow }), aside };
}

function Steps({ scene, current }: { readonly scene: KycScene; readonly current: KycStep }) {
  const { form, words, view } = scene;
  return (
    <section>
      <h2>{words.stepsTitle}</h2>
      <ol class="steps">
        {form.steps.map((one) => {
          const { step, state } = one;
          const look = state === 'done' ? 'done' : state === 'correct' ? 'todo' : undefined;
          const isCurrent = step === current;
          return (
            <li class={look} aria-current={isCurrent ? 'step' : undefined}>
              <a href={`${view.path}/kyc/${step}`}>{words.steps[step]}</a>
              <StepDetail scene={scene} step={step} />
            </li>
          );
        })}
      </ol>
      {form.draft.savedAtMs === null ? null : (
        <p class="quiet">{words.savedAt(<Time atMs={form.draft.savedAtMs} as="time" />)}</p>
      )}
    </section>
  );
}

function StepDetail({ scene, step }: { readonly scene: KycScene; readonly step: KycStep }) {
  const { form, words, view } = scene;
  const found = form.steps.find((one) => one.step === step);
  if (found === undefined) return null;
  const waiting = form.draft.asked.filter(({ doneAtMs }) => doneAtMs === null);
  const own = found.missing.filter((place) => !isAwaited(form, place));
  const names = waiting.flatMap(({ owner }) => (owner === null ? [] : [ownerName(scene, owner)]));
  const waits = names.length > 0 && (step === 'owners' || step === 'documents');
  const details: readonly ComponentChildren[] = [
    found.corrections.length > 0 ? words.correctCount(found.corrections.length) : null,
    own.length > 0 ? words.missingCount(own.length) : null,
    waits ? words.waitingFor(new Intl.ListFormat(view.locale).format(names)) : null,
  ];
  return <>{details.map((detail) => (detail === null ? null : <span>{detail}</span>))}</>;
}

/** An identity document is called what it is: `Passport, page with photo`. */
export function fieldName({ form, words }: Named, { field, owner }: FieldPlace): string {
  const { idDocType }: Pick<Owner, 'idDocType'> = partOf(form.draft, owner) ?? {};
  const { fronts, backs } = words.documents;
  const names: Readonly<Record<string, string>> | undefined = {
    idDocFrontFile: fronts,
    idDocBackFile: backs,
  }[field as 'idDocBackFile'];
  return names?.[`${idDocType}`] ?? words.fields[field];
}

/** `Photo of the face of Priya Raman`. */
export function placeName(scene: Named, { field, owner }: FieldPlace): string {
  const label = fieldName(scene, { field, owner });
  return owner === null ? label : scene.words.documents.of(label, ownerName(scene, owner));
}

/** `Photo of the face: it is blurred.` */
export function correctionText(named: Named, { place, reason }: PlacedCorrection): string {
  const { words } = named;
  if (place === null) return reason === null ? words.correctOther : words.correctElsewhere(reason);
  return `${placeName(named, place)}: ${reason ?? words.correct}`;
}

/** The page on which a place is filled in. */
export function hrefOf(scene: KycScene, place: FieldPlace): string {
  const { form, view } = scene;
  const { field, owner } = place;
  const isOwner = owner !== null && !field.endsWith('File');
  const page = kycPageOf(form, place) === 'owner_papers' ? 'owner_papers' : 'owner';
  const step = isOwner ? pathOfOwner(scene, owner, page) : `kyc/${stepOf(form, place) ?? 'review'}`;
  return `${view.path}/${step}#${controlId(place)}`;
}
