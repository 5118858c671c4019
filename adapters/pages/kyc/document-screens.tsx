// The documents of the KYC form: a row for each file with what it must show and its state, the code
// for the camera of a phone, and the page that such a phone opens.
import { askedFor } from '../../../core/domain/hosted/kyc-draft.js';
import { formFields } from '../../../core/domain/hosted/kyc-fields.js';
import { askedFiles, nextKycStep } from '../../../core/domain/hosted/kyc-form.js';
import { maskedAddress } from '../../../core/domain/mail/mail.js';
import type { ContentType } from '../../../core/domain/parties/document.js';
import type { UploadRefusal } from '../../../core/usecases/hosted/page-documents.js';
import type { ScreenContent } from '../hosted/layout.js';
import { Button, ButtonForm, ButtonLink, Form, foreign, Note, Rows } from '../kit/components.js';
import { type FieldError, FileInput, FileRow } from '../kit/fields.js';
import { nameOf } from '../kit/plain-text.js';
import { QrCode } from '../kit/qr-code.js';
import {
  type BareScene,
  controlId,
  correctionOf,
  fieldName,
  type KycScene,
  type Limits,
  ownerName,
  partyName,
  pathOfPart,
  placeName,
  stepFrame,
  textOf,
  valuesOf,
} from './kyc-scene.js';
import { OwnerState, roleOf } from './owner-state.js';

/** Why the last file was refused, and which. */
export interface RefusedFile {
  readonly reason: UploadRefusal;
  /** `controlId` of its row. */
  readonly id: string;
}

export interface DocumentProps {
  /** Null where files cannot be stored. */
  readonly limits: Limits | null;
  readonly refused: RefusedFile | null;
}

const typeNames: Readonly<Record<ContentType, string>> = {
  'image/jpeg': 'JPEG',
  'image/png': 'PNG',
  'application/pdf': 'PDF',
};
const MEGABYTE = 1_000_000;

export function documentsScreen(scene: KycScene, props: DocumentProps): ScreenContent {
  const { form, words } = scene;
  const parties = [null, ...form.draft.ownerNumbers];
  const shown = parties.filter(
    (owner) => filesOf(scene, owner).length > 0 || isDelegated(scene, owner),
  );
  return stepFrame(scene, 'documents', {
    title: words.steps.documents,
    lede: undefined,
    errors: fileErrors(scene, props, parties),
    body: [
      props.limits === null ? <Note look="warn" text={words.documents.off} /> : null,
      shown.map((owner) => <PartyCard scene={scene} owner={owner} {...props} />),
      <WhyDocuments scene={scene} />,
      <div class="actions">
        <ButtonLink to={`kyc/${nextKycStep(form.steps, 'documents')}`} look="primary">
          {scene.texts.frame.continue}
        </ButtonLink>
        {props.limits === null ? null : (
          <span class="not-touch">
            <ToPhone scene={scene} />
          </span>
        )}
      </div>,
    ],
  });
}

/** A link for a phone is made; a member signs in on the phone. */
function ToPhone({ scene: { form, words } }: { readonly scene: KycScene }) {
  if (form.party.party === 'organization') {
    return <ButtonLink to="kyc/phone">{words.phone.heading}</ButtonLink>;
  }
  return <ButtonForm to="kyc/phone">{words.phone.heading}</ButtonForm>;
}

function filesOf({ form }: KycScene, owner: number | null) {
  return askedFiles(form).filter((file) => file.owner === owner);
}

function isDelegated({ form }: KycScene, owner: number | null): boolean {
  return form.author === 'buyer' && owner !== null && askedFor(form.draft, owner) !== null;
}

function PartyCard({
  scene,
  owner,
  ...props
}: DocumentProps & { readonly scene: KycScene; readonly owner: number | null }) {
  const { words, view } = scene;
  const name = owner === null ? partyName(scene) : ownerName(scene, owner);
  const role = owner === null ? null : roleOf(scene, owner);
  return (
    <section class="card">
      <div class="line ends">
        <h2>{name}</h2>
        {role === null ? null : <span class="small quiet">{role}</span>}
      </div>
      {owner !== null && isDelegated(scene, owner) ? (
        [
          <p class="line ends">
            <OwnerState scene={scene} owner={owner} />
            <a href={`${view.path}/kyc/owners/${owner}`}>{words.owners.edit}</a>
          </p>,
          <p class="small quiet gap">{words.documents.waits(name)}</p>,
        ]
      ) : (
        <DocumentRows scene={scene} owner={owner} {...props} />
      )}
    </section>
  );
}

export function DocumentRows({
  scene,
  owner,
  limits,
  refused,
}: DocumentProps & { readonly scene: KycScene; readonly owner: number | null }) {
  const { words } = scene;
  return (
    <ul class="files">
      {filesOf(scene, owner).map(({ field }) => {
        const place = { field, owner };
        const id = controlId(place);
        const { kind } = formFields[field];
        const isThere = textOf(valuesOf(scene, owner)[field]) !== null;
        const error = fileError(scene, place, refused);
        const { refused: notTaken, received, missing } = words.documents;
        const state = error !== undefined ? notTaken : isThere ? received : missing;
        const look = error !== undefined ? 'bad' : isThere ? 'ok' : 'open';
        return (
          <FileRow
            id={id}
            title={fieldName(scene, place)}
            hint={<Hint scene={scene} field={field} limits={limits} />}
            state={{ look, text: state }}
            error={error}
            form={
              limits === null ? null : (
                <FileForms
                  scene={scene}
                  path={`${pathOfPart(scene, owner)}/file/${kind}`}
                  {...{ id, isThere, hasError: error !== undefined }}
                  label={placeName(scene, place)}
                  accept={limits[kind].contentTypes.join(',')}
                />
              )
            }
          />
        );
      })}
    </ul>
  );
}

function FileForms({
  scene,
  path,
  id,
  isThere,
  hasError,
  label,
  accept,
}: {
  readonly scene: KycScene;
  readonly path: string;
  readonly id: string;
  readonly isThere: boolean;
  readonly hasError: boolean;
  readonly label: string;
  readonly accept: string;
}) {
  const { documents } = scene.words;
  const upload = (
    <Form to={path} files="at_once">
      <FileInput
        {...{ id, label, accept, hasError }}
        add={isThere ? documents.replaceBy : documents.add}
        drop={documents.drop}
      />
      <Button look="sm">
        {scene.texts.frame.upload}
        <span class="vh"> {label}</span>
      </Button>
    </Form>
  );
  if (!isThere) return upload;
  return (
    <div class="line">
      <details open={hasError}>
        <summary>
          {documents.replace}
          <span class="vh"> {label}</span>
        </summary>
        {upload}
      </details>
      <ButtonForm to={`${path}/remove`} look="sm">
        {documents.remove}
        <span class="vh"> {label}</span>
      </ButtonForm>
    </div>
  );
}

type FilePlace = ReturnType<typeof askedFiles>[number]['field'];

function Hint({
  scene,
  field,
  limits,
}: Readonly<{ scene: KycScene; field: FilePlace; limits: Limits | null }>) {
  const { words, texts, format } = scene;
  const { kind } = formFields[field];
  const limit = limits?.[kind] ?? null;
  if (limit === null) return <>{words.documents.hints[field]}</>;
  const types = texts.frame.or(limit.contentTypes.map((type) => typeNames[type]));
  const size = `${format.count(Math.floor(limit.bytesMax / MEGABYTE))} MB`;
  return (
    <>
      {words.documents.hints[field]} {words.documents.formats(types, size)}
    </>
  );
}

function fileError(
  scene: KycScene,
  place: { readonly field: FilePlace; readonly owner: number | null },
  refused: RefusedFile | null,
): string | undefined {
  if (refused !== null && refused.id === controlId(place)) {
    return scene.words.documents.refusals[refused.reason];
  }
  return correctionOf(scene, place) ?? undefined;
}

/** The errors of the files of these parties; null is the payer. */
export function fileErrors(
  scene: KycScene,
  { refused }: DocumentProps,
  parties: readonly (number | null)[],
): readonly FieldError[] {
  const shown = parties.filter((owner) => !isDelegated(scene, owner));
  return shown
    .flatMap((owner) => filesOf(scene, owner))
    .flatMap((file) => {
      const text = fileError(scene, file, refused);
      const field = controlId(file);
      return text === undefined ? [] : [{ field, text: `${placeName(scene, file)}: ${text}` }];
    });
}

export function WhyDocuments({ scene }: { readonly scene: KycScene }) {
  const { documents } = scene.words;
  return (
    <details>
      <summary>{documents.why}</summary>
      <p class="quiet">{documents.whyText}</p>
    </details>
  );
}

/** When a file has arrived, the page gives way to that of the documents. */
export function phoneScreen(scene: KycScene, url: string): ScreenContent {
  const { words, view } = scene;
  const documents = `${view.path}/kyc/documents?phone`;
  return {
    ...stepFrame(scene, 'documents', {
      title: words.phone.heading,
      lede: words.phone.lede,
      live: { to: documents },
      errors: [],
      body: (
        <div class="card stack">
          <QrCode text={url} label={words.phone.alt} />
          <p class="small quiet">{words.phone.life}</p>
          <div class="actions">
            <ButtonLink href={documents} look="primary" text={words.phone.back} />
            <ButtonForm to="kyc/phone">{words.phone.again}</ButtonForm>
          </div>
        </div>
      ),
    }),
  };
}

/** The code is the address of the documents: it opens nothing for somebody else. */
export function memberPhoneScreen(scene: KycScene, url: string): ScreenContent {
  const { words } = scene;
  return stepFrame(scene, 'documents', {
    title: words.phone.heading,
    lede: words.phone.memberLede,
    errors: [],
    body: (
      <div class="card stack">
        <QrCode text={url} label={words.phone.alt} />
        <ButtonLink row to="kyc/documents" look="primary" text={words.phone.back} />
      </div>
    ),
  });
}

export interface PhoneProps {
  /** Who is paid; null for a form without a payment. */
  readonly payee: string | null;
}

/** Whose form it is: somebody else may have scanned the code. */
function WhoseForm({ scene, payee }: PhoneProps & { readonly scene: KycScene }) {
  const { words, view, form } = scene;
  const org = nameOf(view.organization?.name ?? '');
  return (
    <section class="card stack">
      <Rows
        rows={[
          {
            label: words.phone.formOf,
            value: partyName(scene),
            ...(form.email === null ? {} : { note: maskedAddress(form.email) }),
          },
          { label: words.phone.askedBy, value: org },
          { label: words.phone.paymentTo, value: foreign(payee) },
        ]}
      />
      <p>{words.phone.notYours(org)}</p>
    </section>
  );
}

/** Before a phone uses its link up. */
export function phoneEnterScreen(scene: KycScene, { payee }: PhoneProps): ScreenContent {
  const { words, texts } = scene;
  return {
    title: words.phone.enter,
    lede: words.phone.enterText,
    station: null,
    body: [
      <WhoseForm scene={scene} payee={payee} />,
      <ButtonForm to="kyc/phone/enter" class="actions" look="primary">
        {texts.frame.continue}
      </ButtonForm>,
    ],
  };
}

export function phoneEndedScreen(scene: BareScene): ScreenContent {
  const { words } = scene;
  return { title: words.phone.over, lede: words.phone.endedText, station: null, body: null };
}

/** What a phone may do: add files. */
export function phoneUploadsScreen(
  scene: KycScene,
  { payee, ...props }: DocumentProps & PhoneProps,
): ScreenContent {
  const { words, form } = scene;
  const parties = [null, ...form.draft.ownerNumbers];
  const shown = parties.filter((owner) => filesOf(scene, owner).length > 0);
  return {
    title: words.phone.uploads,
    lede: words.phone.uploadsLede,
    station: null,
    errors: fileErrors(scene, props, parties),
    body: [
      <WhoseForm scene={scene} payee={payee} />,
      shown
        .filter((owner) => !isAsked(scene, owner))
        .map((owner) => <PartyCard scene={scene} owner={owner} {...props} />),
    ],
  };
}

function isAsked({ form }: KycScene, owner: number | null): boolean {
  return owner !== null && askedFor(form.draft, owner) !== null;
}
