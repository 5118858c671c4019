// The frame of every page: bars at the top, the way through the payment, the panel beside it, the
// footer with the languages. A screen gives its parts, the frame places them.
import type { ComponentChildren, VNode } from 'preact';
import { MINUTE_MS, SECOND_MS } from '../../../core/domain/base/instant.js';
import { helpReference } from '../../../core/domain/payments/display.js';
import { accentPath } from '../kit/assets.js';
import {
  Button,
  ButtonForm,
  Day,
  type FactRow,
  Foreign,
  Form,
  foreign,
  Languages,
  Moment,
  Note,
  Rows,
} from '../kit/components.js';
import type { FieldError } from '../kit/fields.js';
import { Icon, type IconName, Mark } from '../kit/icons.js';
import type { Limited } from '../kit/limited.js';
import { Foot, renderPage, Said, TestBar } from '../kit/pages/page-document.js';
import { nameOf, plainText } from '../kit/plain-text.js';
import type { PagePayment, PageView } from './page-view.js';
import { frameOf, type Scene, SceneProvider, sceneOf, useScene } from './scene.js';

const endSigns = {
  paid: { icon: 'bridge', look: 'ok' },
  back: { icon: 'back', look: 'info' },
  over: { icon: 'clock', look: 'plain' },
  failed: { icon: 'cross', look: 'bad' },
  review: { icon: 'search', look: 'warn' },
} as const satisfies Readonly<
  Record<
    string,
    { readonly icon: IconName; readonly look: 'ok' | 'info' | 'plain' | 'bad' | 'warn' }
  >
>;

/** Where the buyer is on the way; the KYC steps have a list beside the page. */
export const stations = ['signIn', 'payer', 'price', 'transfer', 'paid'] as const;
export type Station = (typeof stations)[number];

export interface ScreenContent {
  /** The title of the window; also the heading, if no other one is given. */
  readonly title: string;
  readonly heading?: ComponentChildren;
  /** How a payment ended, as a sign above the heading, which says it. */
  readonly end?: keyof typeof endSigns;
  /** Above the heading, such as “Step 2 of 7”. */
  readonly eyebrow?: ComponentChildren;
  readonly lede?: ComponentChildren;
  /** Null after a failure and on pages without a way. */
  readonly station: Station | 'all' | null;
  readonly body: ComponentChildren;
  /** Sections of the panel, between the payment and the help. */
  readonly aside?: ComponentChildren;
  /** In place of the facts of the payment in the panel. */
  readonly about?: ComponentChildren;
  /**
   * Reload when the payment changes, or open `to` in place of the answer to a form. Not on forms:
   * what was typed would be lost.
   */
  readonly live?: true | { readonly to: string };
  /** In place of the notice, and marked in the title. */
  readonly errors?: readonly FieldError[];
}

/** The whole document. */
export function renderContent(view: PageView, screen: (scene: Scene) => ScreenContent): string {
  const scene = sceneOf(view);
  const content = screen(scene);
  const accent = view.organization?.accentColor ?? null;
  const { style, script, icon, testIcon } = view.assets;
  return renderPage(frameOf(scene), {
    title: titleOf(content, scene),
    errors: content.errors ?? [],
    styles: accent === null ? [style] : [style, accentPath(view.root, accent)],
    icon: view.mode === 'test' ? testIcon : icon,
    script,
    names: namesOf(view),
    body: liveData(content, view),
    children: (
      <SceneProvider value={scene}>
        <Header />
        <main id="main" class="wrap two" tabIndex={-1}>
          <div>
            <Journey station={content.station} />
            <div class="stack-l">
              <Heading content={content} />
              {content.body}
              <Simulate />
            </div>
          </div>
          <Side content={content} />
        </main>
        <Footer />
      </SceneProvider>
    ),
  });
}

/** What a file has of a page. */
export function Sheet({ content }: { readonly content: ScreenContent }) {
  const { view, texts } = useScene();
  return (
    <main>
      <p class="small">{view.organization?.name}</p>
      <Heading content={content} />
      {view.mode === 'test' ? (
        <Note look="warn">
          <p>
            <b>{texts.frame.test}</b> {texts.frame.testBar}
          </p>
        </Note>
      ) : null}
      {content.body}
      <Help />
    </main>
  );
}

/** The stream that reports changes after what the page shows, and the page that then opens. */
function liveData({ live }: ScreenContent, { viewer, version, path }: PageView) {
  if (live === undefined || viewer === null || version === null) return {};
  const stream = { 'data-live': `${path}/status?version=${version}` };
  return live === true ? stream : { ...stream, 'data-live-to': live.to };
}

function titleOf({ title }: ScreenContent, { view, texts }: Scene): string {
  return view.payment === null ? title : texts.frame.title(title, nameOf(view.payment.payee));
}

function Header() {
  const { view, texts } = useScene();
  const { organization, mode } = view;
  return (
    <header class="top">
      <TestBar mode={mode} text={texts.frame.testBar} />
      <div class="wrap">
        {organization === null ? null : (
          <p class="org">
            {organization.logo === null
              ? [
                  <i aria-hidden="true">{initials(organization.name)}</i>,
                  <Foreign text={organization.name} />,
                ]
              : [
                  <img
                    src={`${view.root}${organization.logo}`}
                    alt={texts.frame.logo(nameOf(organization.name))}
                  />,
                  <span class="only-l">{foreign(organization.name)}</span>,
                ]}
          </p>
        )}
        <p class="by">
          {view.payment === null ? null : <span class="only-l">{texts.frame.pageBy}</span>} <Mark />
        </p>
      </div>
    </header>
  );
}

function initials(name: string): string {
  const words = plainText(name).split(/\s+/).slice(0, 2);
  return words.map((word) => [...word][0] ?? '').join('');
}

function Journey({ station }: { readonly station: ScreenContent['station'] }) {
  const { texts, view } = useScene();
  if (station === null || view.payment === null) return null;
  const current = station === 'all' ? stations.length : stations.indexOf(station);
  return (
    <ol class="journey" aria-label={texts.frame.progress}>
      {stations.map((name, position) => (
        <li
          class={position < current ? 'done' : undefined}
          aria-current={position === current ? 'step' : undefined}
        >
          {position < current ? <span class="vh">{texts.frame.done}</span> : null}
          {texts.journey[name]}
        </li>
      ))}
    </ol>
  );
}

function Heading({ content }: { readonly content: ScreenContent }) {
  const { view, texts } = useScene();
  const { errors = [] } = content;
  return [
    <div class="stack-s">
      {content.end === undefined ? null : (
        <span class={`endsign ${endSigns[content.end].look}`}>
          <Icon name={endSigns[content.end].icon} />
        </span>
      )}
      {content.eyebrow === undefined ? null : <p class="small quiet">{content.eyebrow}</p>}
      <h1>{content.heading ?? content.title}</h1>
      {content.lede === undefined ? null : <p class="lede">{content.lede}</p>}
    </div>,
    <Said
      errors={errors}
      done={undefined}
      notice={view.notice === null ? undefined : texts.notice[view.notice]}
    />,
    view.limited === null ? null : <LimitNote limited={view.limited} />,
    <SessionWarning />,
  ];
}

function LimitNote({ limited }: { readonly limited: Limited }) {
  const { texts } = useScene();
  const { limit, untilMs, sentAtMs } = limited;
  const sentAt = sentAtMs === null ? null : <Moment atMs={sentAtMs} />;
  return <Note live text={texts.limited[limit](<Moment atMs={untilMs} />, sentAt)} />;
}

/** Hidden until the script sees the end of the session. */
function SessionWarning() {
  const { view, texts } = useScene();
  if (view.viewer === null) return null;
  const seconds = Math.floor((view.viewer.sessionEndsAtMs - view.nowMs) / SECOND_MS);
  return (
    <div class="note warn" hidden data-session={seconds}>
      <Icon name="clock" />
      <div class="line ends">
        <p>{texts.frame.sessionEnds}</p>
        <button class="btn" type="button">
          {texts.frame.stay}
        </button>
      </div>
    </div>
  );
}

function Side({ content }: { readonly content: ScreenContent }) {
  const { view, texts } = useScene();
  if (view.organization === null) return null;
  return (
    <aside class="side" aria-label={texts.frame.thisPayment}>
      {content.about ?? <ThisPayment />}
      {content.aside}
      <Help />
      <AskLink />
    </aside>
  );
}

function ThisPayment() {
  const scene = useScene();
  const { view, texts, format } = scene;
  const { payment } = view;
  if (payment === null) return null;
  const { payee, amount } = payment;
  const rows: readonly (FactRow | null)[] = [
    { label: texts.frame.to, value: <b>{nameOf(payee)}</b>, ...taxIdNote(payment, texts) },
    { label: texts.frame.amount, value: <b class="num">{format.money(amount)}</b> },
    ...paymentRows(scene),
    attachmentRow(scene),
    vendorPapersRow(scene),
  ];
  return (
    <section>
      <h2>{texts.frame.thisPayment}</h2>
      <Rows rows={rows} />
    </section>
  );
}

/** What it is for, its number, the buyer's numbers and its day. */
export function paymentRows({ view, texts }: Scene): readonly (FactRow | null)[] {
  const { payment } = view;
  if (payment === null) return [];
  const { display, number, purchaseOrder, buyerReference, dueDate } = payment;
  const foreign = (label: string, text: string | null): FactRow | null =>
    plainText(text) === '' ? null : { label, value: <Foreign text={text ?? ''} /> };
  return [
    foreign(texts.frame.purpose, display.title),
    { label: texts.frame.invoice, value: number, look: 'digits' },
    foreign(texts.frame.purchaseOrder, purchaseOrder),
    foreign(texts.frame.buyerReference, buyerReference),
    { label: texts.frame.due, value: dueDate === null ? null : <Day day={dueDate} /> },
  ];
}

/** The seller's own invoice, after sign-in only. */
export function attachmentRow({ view, texts, format }: Scene): FactRow | null {
  const { payment, viewer, path } = view;
  const attachment = payment?.attachment ?? null;
  if (attachment === null || viewer === null) return null;
  return {
    label: texts.frame.attachment,
    value: <a href={`${path}/attachment`}>{foreign(attachment.fileName)}</a>,
    note: format.fileSize(attachment.sizeBytes),
  };
}

export function vendorPapersRow({ view, texts }: Scene): FactRow | null {
  const { payment, viewer, path } = view;
  if (payment === null || viewer === null || !payment.hasVendorPapers) return null;
  return {
    label: texts.frame.vendorPapers,
    value: <a href={`${path}/vendor-documents.zip`}>{texts.frame.vendorPapersFile}</a>,
    note: texts.frame.vendorPapersNote,
  };
}

/** Whole if the integrator sent it, else the end of the known one. */
export function taxIdNote(
  { payeeTaxId, payeeTaxIdLast4 }: PagePayment,
  texts: Scene['texts'],
): Pick<FactRow, 'note'> {
  const taxId = plainText(payeeTaxId);
  if (taxId !== '') return { note: texts.paid.taxId(taxId) };
  return payeeTaxIdLast4 === null ? {} : { note: texts.paid.cnpj(payeeTaxIdLast4) };
}

function Help() {
  const { view, texts } = useScene();
  const { organization, payment } = view;
  if (organization === null) return null;
  const org = nameOf(organization.name);
  const reference = payment === null ? null : <b class="digits">{helpReference(payment)}</b>;
  return (
    <section>
      <h2>{texts.frame.help}</h2>
      <p>{reference === null ? texts.frame.helpForm(org) : texts.frame.helpText(org, reference)}</p>
      <Contacts />
    </section>
  );
}

/** Only who proved the mailbox asks on the page, and only where a mailbox answers. */
function AskLink() {
  const { view, texts } = useScene();
  const { viewer, payment, organization } = view;
  if (viewer === null || payment === null || organization?.supportEmail === null) return null;
  if (view.page.name === 'question' || payment.isForApprover) return null;
  return (
    <p>
      <a href={`${view.path}/question`}>{texts.question.link}</a>
    </p>
  );
}

/** Mail, phone or, without both, the website. */
function Contacts() {
  const contacts = useContacts();
  return contacts.length === 0 ? null : (
    <p>{contacts.map((contact, position) => [position === 0 ? null : <br />, contact])}</p>
  );
}

export function useContacts(): readonly VNode[] {
  const { organization } = useScene().view;
  const { supportEmail = null, supportPhone = null, website = null } = organization ?? {};
  const links = [
    supportEmail === null ? null : <a href={mailLink(supportEmail)}>{supportEmail}</a>,
    supportPhone === null ? null : <a href={phoneUrl(supportPhone)}>{supportPhone}</a>,
  ].filter((link) => link !== null);
  if (links.length > 0 || website === null || !isWebAddress(website)) return links;
  return [<a href={website}>{new URL(website).host}</a>];
}

export function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}

/** Signs such as `&` and `#` have another meaning in a URL (RFC 6068). */
function mailLink(address: string): string {
  return `mailto:${encodeURIComponent(address).replaceAll('%40', '@')}`;
}

function phoneUrl(phone: string): string {
  return `tel:${phone.replace(/[^+0-9]/g, '')}`;
}

function Footer() {
  const { view, texts } = useScene();
  return (
    <Foot>
      <p>{texts.frame.neverMailed}</p>
      <ul>
        <li>
          <a href={`${view.root}/verify`}>{texts.frame.verify}</a>
        </li>
        <LegalItems />
        {view.viewer === null ? null : (
          <li>
            <ButtonForm to="sign-out" look="link" text={texts.frame.signOut} />
          </li>
        )}
      </ul>
      <Languages />
    </Foot>
  );
}

/** In a list; also above the button that sends what a buyer entered. */
export function LegalItems() {
  const { view, texts } = useScene();
  const { privacyUrl, termsUrl } = view.legal;
  const links = [
    { url: privacyUrl, text: texts.frame.privacy },
    { url: termsUrl, text: texts.frame.terms },
  ];
  return links.map(({ url, text }) =>
    url !== null && isWebAddress(url) ? (
      <li>
        <a href={url}>{text}</a>
      </li>
    ) : null,
  );
}

/** Test mode only: plays partner, bank and clock. */
function Simulate() {
  const { view, texts } = useScene();
  if (view.simulate === null || view.simulate.length === 0) return null;
  const groups: Readonly<Record<string, string>> = texts.simulate.groups;
  const byGroup = Object.entries(Object.groupBy(view.simulate, ({ group }) => group));
  return (
    <details class="testpanel">
      <summary>{texts.simulate.heading}</summary>
      {byGroup.map(([group, events = []]) => (
        <Form to="simulate">
          <fieldset class="field">
            <legend>{groups[group] ?? group}</legend>
            <div class="actions">
              {events.map(({ event }) => (
                <Button look="sm" name="event" value={event} text={texts.simulate.events[event]} />
              ))}
            </div>
          </fieldset>
        </Form>
      ))}
    </details>
  );
}

/** Beside the time of day; the script counts, and speaks three times. */
export function Countdown({ untilMs }: { readonly untilMs: number }) {
  const { view, texts } = useScene();
  const { left, left120, left30, over } = texts.price;
  const leftMs = Math.min(Math.max(0, untilMs - view.nowMs), 60 * MINUTE_MS);
  return (
    <span
      class="num"
      hidden
      data-countdown={Math.ceil(leftMs / SECOND_MS)}
      data-left={left}
      data-say={[left120, left30, over].join('|')}
    />
  );
}

function namesOf({ organization, payment }: PageView): readonly (string | null)[] {
  const { payee = null, payer = null, partner = null, senderNames = [] } = payment ?? {};
  return [organization?.name ?? null, payee, payer, partner, ...senderNames];
}
