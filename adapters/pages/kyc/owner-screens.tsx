// The owners of a business: the list, the page of one owner, the request to add the rest by a link,
// and what an owner sees who opened such a link.
import { type Asked, askedFor, OWNERS_MAX } from '../../../core/domain/hosted/kyc-draft.js';
import {
  type AskedField,
  addressFields,
  fieldsFor,
  nextKycStep,
  type OwnerPage,
  openOf,
  SAME_ADDRESS,
} from '../../../core/domain/hosted/kyc-form.js';
import type { ScreenContent } from '../hosted/layout.js';
import { Button, ButtonForm, ButtonLink, Form, Note, Submit } from '../kit/components.js';
import { CheckField, TextField } from '../kit/fields.js';
import { Card } from '../kit/pages/card.js';
import { type DocumentProps, DocumentRows, fileErrors, WhyDocuments } from './document-screens.js';
import { Fields } from './field-controls.js';
import {
  errorsOf,
  fieldName,
  type KycScene,
  ownerName,
  partyName,
  pathOfOwner,
  stepFrame,
} from './kyc-scene.js';
import { AskedState, OwnerState, roleOf } from './owner-state.js';
import { Continue } from './step-screens.js';

export function ownersScreen(scene: KycScene): ScreenContent {
  const { form, words } = scene;
  const { ownerNumbers } = form.draft;
  const isEmpty = ownerNumbers.length === 0;
  return stepFrame(scene, 'owners', {
    title: words.owners.heading,
    lede: words.owners.lede,
    errors: [],
    body: [
      <details>
        <summary>{words.owners.who}</summary>
        <p class="quiet">{words.owners.whoText}</p>
      </details>,
      <section class="card stack">
        {isEmpty ? <p>{words.owners.none}</p> : null}
        <ul class="files">
          {ownerNumbers.map((owner) => (
            <OwnerRow scene={scene} owner={owner} />
          ))}
        </ul>
        {ownerNumbers.length >= OWNERS_MAX ? null : (
          <ButtonForm to="kyc/owners/add" class="actions" {...(isEmpty ? { look: 'primary' } : {})}>
            {words.owners.add}
          </ButtonForm>
        )}
      </section>,
      isEmpty ? null : (
        <ButtonLink row to={`kyc/${nextKycStep(form.steps, 'owners')}`} look="primary">
          {scene.texts.frame.continue}
        </ButtonLink>
      ),
    ],
  });
}

function OwnerRow({ scene, owner }: { readonly scene: KycScene; readonly owner: number }) {
  const { words } = scene;
  const name = ownerName(scene, owner);
  const role = roleOf(scene, owner);
  return (
    <li>
      <div>
        <b>{name}</b>
        {role === null ? null : <p class="small quiet">{role}</p>}
      </div>
      <OwnerState scene={scene} owner={owner} />
      <div class="actions">
        <ButtonLink to={pathOfOwner(scene, owner)}>
          {words.owners.edit}
          <span class="vh"> {name}</span>
        </ButtonLink>
        <ButtonForm to={`kyc/owners/${owner}/remove`} look="link">
          {words.documents.remove}
          <span class="vh"> {name}</span>
        </ButtonForm>
      </div>
    </li>
  );
}

/** One owner, as the person who fills in the form sees it: first the person, then its papers. */
export function ownerScreen(
  scene: KycScene,
  owner: number,
  page: OwnerPage = 'owner',
): ScreenContent {
  const { form, words } = scene;
  const fields = fieldsFor(form, page, owner, form.author);
  const asked = askedFor(form.draft, owner);
  const isAddress = ({ field }: AskedField) => addressFields.includes(field);
  const address = fields.filter(isAddress);
  const addressAt = fields.findIndex(isAddress);
  const before = addressAt < 0 ? fields : fields.slice(0, addressAt);
  const after = fields.slice(before.length + address.length);
  const places = fields.map(({ field }) => ({ field, owner }));
  const { addressProblem } = scene;
  const addressError =
    addressProblem === null ? [] : [{ field: 'email', text: words.problems[addressProblem] }];
  return stepFrame(scene, 'owners', {
    title: ownerName(scene, owner),
    lede: asked === null ? words.owners.pages[page] : undefined,
    errors: [...errorsOf(scene, places), ...addressError],
    body: [
      form.role === 'buyer' && page === 'owner' ? (
        <AskCard scene={scene} owner={owner} asked={asked} />
      ) : null,
      <Form to={pathOfOwner(scene, owner, page)} class="card stack">
        <Fields scene={scene} fields={before} owner={owner} />
        {address.length === 0
          ? null
          : [
              <CheckField
                name={SAME_ADDRESS}
                label={words.owners.sameAddress}
                checked={scene.typed[SAME_ADDRESS] !== undefined}
              />,
              <div class="stack own-address">
                <Fields scene={scene} fields={address} owner={owner} />
              </div>,
            ]}
        <Fields scene={scene} fields={after} owner={owner} />
        <Continue scene={scene} />
      </Form>,
    ],
  });
}

/** First on the page: who fills in the form for a company seldom knows the owner's numbers. */
function AskCard({
  scene,
  owner,
  asked,
}: Readonly<{ scene: KycScene; owner: number; asked: Asked | null }>) {
  const { words, addressProblem, typed } = scene;
  const path = `kyc/owners/${owner}`;
  const name = ownerName(scene, owner);
  const form = (
    <>
      <p class="quiet">{words.owners.askText}</p>
      {asked === null ? <p class="small quiet">{words.owners.askWarning}</p> : null}
      <Form to={`${path}/ask`} class="stack-s">
        <TextField
          name="email"
          type="email"
          label={words.owners.email}
          value={typed['email'] ?? asked?.email}
          error={addressProblem === null ? undefined : words.problems[addressProblem]}
        />
        <Submit plain>{asked === null ? words.handOver.send : words.owners.again}</Submit>
      </Form>
    </>
  );
  if (asked === null) {
    return (
      <section class="card stack-s">
        <h2>{words.owners.whoFills}</h2>
        <p>{words.owners.whoFillsText(name)}</p>
        <details open={addressProblem !== null}>
          <summary>{words.owners.askHeading(name)}</summary>
          <div class="stack">{form}</div>
        </details>
      </section>
    );
  }
  return (
    <Card heading={words.owners.askHeading(name)} isStack>
      <AskedState scene={scene} asked={asked} />
      {form}
      <Form to={`${path}/take-back`} class="stack-s">
        <Button look="link">{words.owners.takeBack}</Button>
        <p class="small quiet">{words.owners.takeBackText}</p>
      </Form>
    </Card>
  );
}

/** The first two pages of an owner who opened the link. */
export function ownPartScreen(
  scene: KycScene,
  owner: number,
  page: OwnerPage = 'owner',
): ScreenContent {
  const { form, words } = scene;
  const fields = fieldsFor(form, page, owner, 'owner');
  const places = fields.map(({ field }) => ({ field, owner }));
  return stepFrame(scene, 'owners', {
    title: words.owners.self.heading(partyName(scene)),
    lede: page === 'owner' ? words.owners.self.lede : words.owners.pages[page],
    errors: errorsOf(scene, places),
    body: (
      <Form to={pathOfOwner(scene, owner, page)} class="card stack">
        <Fields scene={scene} fields={fields} owner={owner} />
        <Continue scene={scene} />
      </Form>
    ),
  });
}

/** The last one: files, what is still missing, and the button that ends it. */
export function ownDocumentsScreen(
  scene: KycScene,
  { owner, ...props }: DocumentProps & { readonly owner: number },
): ScreenContent {
  const { form, words } = scene;
  const missing = openOf(form, owner);
  const isDone = (askedFor(form.draft, owner)?.doneAtMs ?? null) !== null;
  const isReady = missing.length === 0;
  return stepFrame(scene, 'documents', {
    title: words.owners.self.documents,
    lede: undefined,
    errors: fileErrors(scene, props, [owner]),
    body: [
      isDone ? (
        <Note look="ok" live>
          <p>{words.owners.self.sent}</p>
          <p>{words.owners.self.sentText}</p>
        </Note>
      ) : null,
      <section class="card">
        <DocumentRows scene={scene} owner={owner} {...props} />
      </section>,
      <WhyDocuments scene={scene} />,
      isReady ? null : <Missing scene={scene} places={missing} />,
      <div class="actions">
        {isReady && !isDone ? (
          <ButtonForm to="kyc/done" look="primary" text={words.owners.self.send} />
        ) : null}
        <ButtonLink to="kyc/owner">{words.owners.self.change}</ButtonLink>
      </div>,
    ],
  });
}

function Missing({
  scene,
  places,
}: Readonly<{ scene: KycScene; places: ReturnType<typeof openOf> }>) {
  const { words } = scene;
  return (
    <Note look="warn">
      <p>{words.missingCount(places.length)}</p>
      <ul class="howto">
        {places.map(({ field, owner }) => (
          <li>{fieldName(scene, { field, owner })}</li>
        ))}
      </ul>
    </Note>
  );
}
