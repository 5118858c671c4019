// Settings of the organization, for both modes: what buyers see, who approves, and how long a
// changed PIX destination is held. Owners change them, others read them.
import type { ComponentChildren, VNode } from 'preact';
import { allows } from '../../../../core/domain/access/scope.js';
import { money } from '../../../../core/domain/base/money.js';
import { recordOf } from '../../../../core/domain/base/record-of.js';
import { readTimeZone } from '../../../../core/domain/base/time-zone.js';
import { plainSigns } from '../../../../core/domain/base/typed-text.js';
import {
  accentPalettes,
  isReadableColor,
  leastContrast,
  readAccentColor,
} from '../../../../core/domain/parties/accent-color.js';
import {
  type ContactName,
  contactKinds,
  contactNames,
  contacts,
  hasContact,
} from '../../../../core/domain/parties/contact.js';
import { LOGO_BYTES_MAX, logoTypes } from '../../../../core/domain/parties/logo.js';
import { mailSwitches } from '../../../../core/domain/parties/organization.js';
import { readStanding } from '../../../../core/usecases/access/sessions.js';
import {
  changeLogo,
  changeSettings,
  mayHold,
} from '../../../../core/usecases/parties/organization-settings.js';
import { listOwnChanges } from '../../../../core/usecases/parties/payout-changes.js';
import {
  Button,
  ButtonLink,
  type FactRow,
  Foreign,
  Form,
  Rows,
  Submit,
} from '../../kit/components.js';
import { FileField } from '../../kit/fields.js';
import { logoPath } from '../../kit/files/logo-file.js';
import { bytesOf, readFile } from '../../kit/files/uploaded-file.js';
import { frameTexts } from '../../kit/frame-texts.js';
import type { PageContext } from '../../kit/page-route.js';
import { Card } from '../../kit/pages/card.js';
import { emailText } from '../../kit/pages/email-texts.js';
import {
  type DeclaredField,
  type ShownFields,
  words as shown,
  type TypedForm,
  textAs,
  tick,
  typedForm,
  version,
} from '../../kit/pages/form-page.js';
import { ToPlace } from '../dashboard-layout.js';
import { type DashboardScene, sceneOf, useDashboard, viewOf } from '../dashboard-scene.js';
import { actorOf, anyRole, type MemberCall, memberPages, tenantOfCall } from '../member-pages.js';
import { START_PATH } from './getting-started-pages.js';

const change = { scope: 'org:write', proof: 'change_settings' } as const;
const CHANGE = '/settings/change';

type Settings = Awaited<ReturnType<typeof readSettings>>;

async function readSettings({ deps }: PageContext, call: MemberCall) {
  const { orgId, scopes, session } = actorOf(call);
  const tenant = tenantOfCall(call);
  const [{ organization, profile }, { profile: own }, [newest]] = await Promise.all([
    readStanding(deps, { orgId, mode: 'live' }),
    readStanding(deps, tenant),
    listOwnChanges(deps, tenant, 1),
  ]);
  const { intentsNeedApproval, payoutHoldHours } = profile;
  const { status, destinationRef } = own;
  return {
    ...organization,
    intentsNeedApproval,
    payoutHoldHours,
    isByPasskey: session.began === 'passkey',
    mayChange: allows(scopes, 'org:write'),
    /** Status and destination are those of the mode that is shown. */
    status,
    destinationRef,
    /** The PIX key as it may be shown; null if it is not known. */
    pix: newest?.pixKeyShown ?? null,
  };
}

const onIf = (isOn: boolean) => (isOn ? 'yes' : '');

const textsOf = (settings: Settings): TypedForm => ({
  ...recordOf(contactNames, (name) => settings[name] ?? ''),
  ...recordOf(mailSwitches, (name) => onIf(settings[name])),
  version: `${settings.version}`,
  accentColor: settings.accentColor ?? '',
  approval: onIf(settings.requiresApproval),
  intentApproval: onIf(settings.intentsNeedApproval),
  hold: `${settings.payoutHoldHours}`,
  timeZone: settings.timeZone,
  passkey: onIf(settings.requiresPasskey),
});

export const settingsPages = [
  memberPages.view({
    path: '/settings',
    access: { scope: anyRole, proof: 'session' },
    load: readSettings,
    show: (scene, settings) => ({
      title: scene.texts.places.settings,
      lede: scene.texts.setup.settings.lede,
      place: 'settings',
      actions: (
        <ButtonLink href={`${scene.view.path}/vendor-documents`}>
          {scene.texts.frame.vendorPapers}
        </ButtonLink>
      ),
      body: <Shown settings={settings} />,
    }),
  }),
  ...memberPages.form(
    {
      path: CHANGE,
      access: change,
      back: () => '/settings',
      load: readSettings,
      typed: textsOf,
      fields: (scene, settings) => ({
        version,
        ...contactFields(scene, settings),
        ...ruleFields(scene, settings),
        accentColor: colorField(scene),
        file: logoField(scene),
      }),
      show: ({ texts }, settings) => ({
        title: texts.setup.settings.changeHeading,
        lede: texts.setup.settings.lede,
        place: 'settings',
        crumbs: [<ToPlace of="settings" />],
        submit: texts.setup.settings.save,
        around: (_, fields) => <Parts settings={settings} fields={fields} />,
      }),
      async save({ deps }, call, { subject, values }) {
        const { approval, intentApproval, hold, timeZone, passkey, ...given } = values;
        const { session, memberId } = actorOf(call);
        const isSaved = await changeSettings(deps, subject.id, memberId, {
          ...given,
          contact: given,
          approvalOf: [
            ...(approval ? ['invoice' as const] : []),
            ...(intentApproval ? ['payment_intent' as const] : []),
          ],
          payoutHoldHours: hold,
          timeZone: timeZone || subject.timeZone,
          requiresPasskey: passkey,
          began: session.began,
        });
        return isSaved ? saved : outOfDate;
      },
    },
    [
      {
        path: '/settings/logo',
        access: change,
        form: 'multipart',
        run: async (context, call) => replaceLogo(context, call, await sentLogo(call)),
      },
      {
        path: '/settings/logo/remove',
        access: change,
        form: typedForm,
        run: (context, call) => {
          const { version = '' } = call.form as TypedForm;
          return replaceLogo(context, call, { version, bytes: null });
        },
      },
    ],
  ),
];

const saved = { to: '/settings', done: 'settings_saved' } as const;
const outOfDate = { to: CHANGE, notice: 'out_of_date' } as const;

interface SentLogo {
  readonly version: string;
  /** Null removes it. */
  readonly bytes: Uint8Array | null;
}

function sentLogo(call: MemberCall): Promise<SentLogo> {
  return readFile(call, async (file) => ({
    bytes: await bytesOf(file, LOGO_BYTES_MAX),
    version: file.fields.get('version') ?? '',
  }));
}

async function replaceLogo(context: PageContext, call: MemberCall, { version, bytes }: SentLogo) {
  const { orgId, memberId } = actorOf(call);
  const change = { version: Number.parseInt(version, 10), bytes };
  const result = await changeLogo(context.deps, orgId, memberId, change);
  if (result === 'saved') return saved;
  if (result === 'out_of_date') return outOfDate;
  const { logoProblems } = sceneOf(viewOf(context, call)).texts.setup.settings;
  return { problem: { field: 'file', text: logoProblems[result] } };
}

function contactFields({ texts, view }: DashboardScene, settings: Settings) {
  const words = texts.setup.settings;
  const needsContact = settings.productionGrantedAtMs !== null && hasContact(settings);
  const isBare = ({ supportEmail = '', supportPhone = '' }: TypedForm) =>
    supportEmail.trim() === '' && supportPhone.trim() === '';
  const contact = (name: ContactName): DeclaredField<string> => {
    const { kind } = contacts[name];
    const mayBeEmpty = (typed: TypedForm) =>
      name !== 'supportEmail' || !needsContact || !isBare(typed);
    return textAs({
      label: texts.frame.optional(words[name]),
      type: kind,
      max: 320,
      spellcheck: false,
      problem: (text) => {
        if (text === '') return words.needsContact;
        if (kind === 'email') return emailText(view.locale, text);
        return kind === 'tel' ? words.notAPhone : words.notAUrl;
      },
      read: (text, typed) =>
        (text === '' ? mayBeEmpty(typed) : contactKinds[kind].read(text) !== null) ? text : null,
    });
  };
  return {
    ...recordOf(contactNames, contact),
    ...recordOf(mailSwitches, (name) => tick({ label: words[name], hint: words[`${name}Hint`] })),
  };
}

function ruleFields({ texts }: DashboardScene, settings: Settings) {
  const words = texts.setup.settings;
  const { payoutHoldHours: hours, requiresPasskey, isByPasskey } = settings;
  /** A box to tick, unless the rule is on: only an operator switches it off. */
  const rule = (label: string, isOn: boolean): DeclaredField<boolean | null> =>
    isOn ? shown(<p>{`${label}: ${words.on}`}</p>) : tick({ label });
  const passkey = tick({ label: words.passkey, hint: words.passkeyHint });
  return {
    approval: rule(words.approval, settings.requiresApproval),
    intentApproval: rule(words.intentApproval, settings.intentsNeedApproval),
    hold: textAs({
      label: words.hold,
      hint: words.holdHint(hours),
      inputMode: 'numeric',
      max: 2,
      width: 'short',
      problem: words.notHours(hours),
      read(text) {
        const typed = plainSigns(text).trim();
        const hold = /^\d{1,2}$/.test(typed) ? Number.parseInt(typed, 10) : Number.NaN;
        return mayHold(hold, hours) ? hold : null;
      },
    }),
    timeZone: textAs({
      label: words.timeZone,
      hint: words.timeZoneHint,
      max: 60,
      spellcheck: false,
      problem: words.notAZone,
      read: (text) => (text === '' || readTimeZone(text) !== null ? text : null),
    }),
    passkey: {
      ...passkey,
      read(typed, name) {
        const found = passkey.read(typed, name);
        const isOther = 'value' in found && found.value !== requiresPasskey;
        return isOther && !isByPasskey ? { problem: words.needsPasskey } : found;
      },
    } satisfies DeclaredField<boolean>,
  };
}

function colorField({ texts, format }: DashboardScene): DeclaredField<string> {
  const words = texts.setup.settings;
  return textAs({
    label: texts.frame.optional(words.accentColor),
    hint: words.accentHint,
    max: 20,
    spellcheck: false,
    width: 'short',
    problem(text) {
      const color = readAccentColor(text);
      if (color === null) return words.notAColor;
      // Rounded down, so that it is never said to be enough.
      return words.faintColor(format.oneDecimal(Math.floor(leastContrast(color) * 10) / 10));
    },
    read(text) {
      const color = readAccentColor(text);
      return text === '' || (color !== null && isReadableColor(color)) ? text : null;
    },
  });
}

/** Saved by itself: a file is not kept while a form with other fields is corrected. */
function logoField({ texts }: DashboardScene): DeclaredField<null> {
  const { logo: label, logoHint: hint } = texts.setup.settings;
  const accept = logoTypes.join(',');
  return {
    read: () => ({ value: null }),
    show: (name, _, error) => <FileField {...{ name, label, hint, error, accept }} />,
  };
}

type Part = 'company' | 'contact' | 'rules' | 'brand';

/** Each section has the name of its part of the form. */
function Shown({ settings }: { readonly settings: Settings }) {
  const { format, texts, view } = useDashboard();
  const words = texts.setup.settings;
  const { change } = texts.frame;
  const { status, destinationRef, pix, mayChange } = settings;
  const onOff = (isOn: boolean) => (isOn ? words.on : words.off);
  const section = (part: Part, to: string, rows: readonly FactRow[], more: VNode | null = null) => (
    <section class="card stack" aria-labelledby={part}>
      <div class="line ends">
        <h2 id={part}>{words[part]}</h2>
        {mayChange ? (
          <a href={`${view.path}${to}`}>
            {change}
            <span class="vh">: {words[part]}</span>
          </a>
        ) : null}
      </div>
      <Rows rows={rows} />
      {more}
    </section>
  );
  const pixShown = pix ?? (destinationRef === null ? words.none : words.set);
  const kyb = status === 'approved' ? words.verified : words.notVerified;
  return (
    <div class="cols">
      <div class="stack">
        {section('company', START_PATH, [
          row(words.name, <Foreign text={settings.name} />),
          row(words.details, <a href={`${view.path}${START_PATH}`}>{kyb}</a>),
          row(
            texts.setup.start.pix.heading,
            mayChange ? <a href={`${view.path}${START_PATH}/pix`}>{pixShown}</a> : pixShown,
          ),
        ])}
        {section('contact', `${CHANGE}#contact`, [
          ...contactNames.map((name) =>
            row(
              words[name],
              settings[name] === null ? words.none : <Foreign text={settings[name]} />,
            ),
          ),
          ...mailSwitches.map((name) => row(words[name], onOff(settings[name]))),
        ])}
        {section(
          'rules',
          `${CHANGE}#rules`,
          [
            row(words.approval, onOff(settings.requiresApproval)),
            row(words.intentApproval, onOff(settings.intentsNeedApproval)),
            row(words.hold, format.count(settings.payoutHoldHours)),
            row(words.timeZone, settings.timeZone),
            row(words.passkey, onOff(settings.requiresPasskey)),
          ],
          mayChange ? null : <p class="small quiet">{words.ownersOnly}</p>,
        )}
      </div>
      {section(
        'brand',
        `${CHANGE}#brand`,
        [row(words.accentColor, settings.accentColor ?? words.none)],
        <PagePreview settings={settings} />,
      )}
    </div>
  );
}

const row = (label: string, value: ComponentChildren): FactRow => ({ label, value });

/** Where the whole form is: its parts have the ids that the page links to. */
function Parts({ settings, fields }: { settings: Settings; fields: ShownFields }) {
  const words = useDashboard().texts.setup.settings;
  const part = (id: Part, text: string, names: readonly string[], more: VNode | null = null) => (
    <section class="card stack" id={id} aria-labelledby={`${id}-heading`}>
      <h2 id={`${id}-heading`}>{words[id]}</h2>
      <p class="small quiet">{text}</p>
      {names.map((name) => fields[name])}
      {more}
    </section>
  );
  const rules = ['approval', 'intentApproval', 'hold', 'timeZone', 'passkey'];
  const preview = <PagePreview settings={settings} />;
  return (
    <div class="stack-l">
      <Form to="settings/change" class="stack-l">
        {fields['version']}
        <div class="cols">
          <div class="stack">
            {part('contact', words.contactText, [...contactNames, ...mailSwitches])}
            {part('rules', words.rulesText, rules)}
          </div>
          {part('brand', words.brandText, ['accentColor'], preview)}
        </div>
        <Submit>{words.save}</Submit>
      </Form>
      <Card heading={words.logo} isStack>
        {settings.logoHash === null ? null : (
          <div class="line ends">
            <Logo settings={settings} />
            <Form to="settings/logo/remove">
              {fields['version']}
              <Button look="sm">{words.removeLogo}</Button>
            </Form>
          </div>
        )}
        <Form to="settings/logo" files="by_button" class="stack">
          {fields['version']}
          {fields['file']}
          <Submit plain>{words.saveLogo}</Submit>
        </Form>
      </Card>
    </div>
  );
}

/** The color of Ponte, for organizations without one. */
const OWN_COLOR = '#0a5568';
const SAMPLE = money(125_000n, 'USD');

/** The head of a payment page and its button. The script follows the color that is typed. */
function PagePreview({ settings }: { readonly settings: Settings }) {
  const { format, texts, view } = useDashboard();
  const words = texts.setup.settings;
  const { light } = accentPalettes(settings.accentColor ?? OWN_COLOR);
  return (
    <figure class="preview">
      <figcaption class="small">
        {settings.logoHash === null ? (
          <Foreign text={settings.name} />
        ) : (
          <Logo settings={settings} />
        )}
      </figcaption>
      <svg viewBox="0 0 240 96" role="img" aria-label={words.preview}>
        <text class="sum" x="0" y="26">
          {format.money(SAMPLE)}
        </text>
        <rect data-accent fill={light.accent} y="48" width="240" height="40" rx="8" />
        <text x="120" y="73" text-anchor="middle" fill={light.on}>
          {frameTexts[view.locale].continue}
        </text>
      </svg>
    </figure>
  );
}

function Logo({ settings }: { readonly settings: Settings }) {
  const { texts, view } = useDashboard();
  const path = logoPath(settings);
  if (path === null) return null;
  return <img class="logo" src={`${view.root}${path}`} alt={texts.setup.settings.logoAlt} />;
}
