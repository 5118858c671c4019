// Settings of the organization, for both modes: what buyers see, who approves, and how long a
// changed PIX destination is held. Owners change them, others read them.
import type { VNode } from 'preact';
import { z } from 'zod';
import type { MemberSession } from '../../../../core/domain/access/member-session.js';
import { allows } from '../../../../core/domain/access/scope.js';
import { readEmail } from '../../../../core/domain/base/email-address.js';
import { readTimeZone } from '../../../../core/domain/base/time-zone.js';
import { plainSigns } from '../../../../core/domain/base/typed-text.js';
import {
  isReadable,
  leastContrast,
  readAccentColor,
} from '../../../../core/domain/parties/accent-color.js';
import {
  LOGO_BYTES_MAX,
  type LogoProblem,
  logoTypes,
} from '../../../../core/domain/parties/logo.js';
import {
  hasContact,
  type Organization,
  readPhone,
  readWebsite,
} from '../../../../core/domain/parties/organization.js';
import { readStanding } from '../../../../core/usecases/access/sessions.js';
import {
  changeLogo,
  changeSettings,
  mayHold,
} from '../../../../core/usecases/parties/organization-settings.js';
import { Button, ButtonLink, Foreign, Form, Rows } from '../../kit/components.js';
import { CheckField, type FieldError, FileField, TextField } from '../../kit/fields.js';
import { logoPath } from '../../kit/files/logo-file.js';
import { bytesOf, readFile } from '../../kit/files/uploaded-file.js';
import {
  memberRow,
  type PageAnswer,
  type PageContext,
  seeOther,
  withNotice,
} from '../../kit/page-route.js';
import { withDone } from '../../kit/pages/declared-pages.js';
import { type DashboardContent, dashboardPage } from '../dashboard-layout.js';
import { type DashboardScene, useDashboard, viewOf } from '../dashboard-scene.js';
import { actorOf, anyRole, type MemberCall, TENANT_ROOT } from '../member-page.js';

const path = `${TENANT_ROOT}/settings`;
const change = { scope: 'org:write', proof: 'fresh' } as const;
const line = z.string().max(400).default('');
const settingsForm = z.object({
  /** The version of the organization that the form shows. */
  version: z.string().regex(/^\d{1,9}$/),
  supportEmail: line,
  supportPhone: line,
  website: line,
  privacyUrl: line,
  termsUrl: line,
  accentColor: line,
  approval: line,
  intentApproval: line,
  hold: line.transform((text) => plainSigns(text).trim()),
  reminders: line,
  timeZone: line,
  passkey: line,
});
type Typed = Readonly<z.infer<typeof settingsForm>>;

export const settingsPages = [
  memberRow({
    method: 'GET',
    path,
    scope: anyRole,
    proof: 'session',
    form: 'none',
    handler: showSettings,
  }),
  memberRow({
    ...change,
    method: 'GET',
    path: `${path}/change`,
    form: 'none',
    handler: async (context, call) => {
      const settings = await readSettings(context, call);
      return showForm(context, call, settings, {
        typed: typedOf(settings),
        errors: [],
        logoProblem: null,
      });
    },
  }),
  memberRow({
    ...change,
    method: 'POST',
    path: `${path}/change`,
    form: settingsForm,
    handler: save,
  }),
  // A link of the answer to a file, as that of a language, leads back to the form.
  memberRow({ ...change, method: 'GET', path: `${path}/logo`, form: 'none', handler: toForm }),
  memberRow({
    ...change,
    method: 'POST',
    path: `${path}/logo`,
    form: 'multipart',
    handler: saveLogo,
  }),
  memberRow({
    ...change,
    method: 'POST',
    path: `${path}/logo/remove`,
    form: settingsForm.pick({ version: true }),
    handler: (context, call) => replaceLogo(context, call, call.form.version, null),
  }),
];

async function toForm(context: PageContext, call: MemberCall): Promise<PageAnswer> {
  return seeOther(`${viewOf(context, call).path}/settings/change`);
}

interface Settings extends Organization {
  readonly intentsNeedApproval: boolean;
  readonly payoutHoldHours: number;
}

async function readSettings({ deps }: PageContext, call: MemberCall): Promise<Settings> {
  const { orgId } = actorOf(call);
  const { organization, profile } = await readStanding(deps, { orgId, mode: 'live' });
  const { intentsNeedApproval, payoutHoldHours } = profile;
  return { ...organization, intentsNeedApproval, payoutHoldHours };
}

function typedOf(settings: Settings): Typed {
  return {
    version: `${settings.version}`,
    supportEmail: settings.supportEmail ?? '',
    supportPhone: settings.supportPhone ?? '',
    website: settings.website ?? '',
    privacyUrl: settings.privacyUrl ?? '',
    termsUrl: settings.termsUrl ?? '',
    accentColor: settings.accentColor ?? '',
    approval: settings.requiresApproval ? 'yes' : '',
    intentApproval: settings.intentsNeedApproval ? 'yes' : '',
    hold: `${settings.payoutHoldHours}`,
    reminders: settings.sendsReminders ? 'yes' : '',
    timeZone: settings.timeZone,
    passkey: settings.requiresPasskey ? 'yes' : '',
  };
}

const contacts = {
  supportEmail: [readEmail, 'notAnAddress'],
  supportPhone: [readPhone, 'notAPhone'],
  website: [readWebsite, 'notAUrl'],
  privacyUrl: [readWebsite, 'notAUrl'],
  termsUrl: [readWebsite, 'notAUrl'],
} as const satisfies Partial<Record<keyof Typed, unknown>>;
type Contact = keyof typeof contacts;
const contactNames = Object.keys(contacts) as readonly Contact[];

type ErrorName =
  | (typeof contacts)[Contact][1]
  | 'needsContact'
  | 'notHours'
  | 'notAColor'
  | 'notAZone'
  | 'faintColor'
  | 'needsPasskey';
type Errors = readonly { readonly field: keyof Typed; readonly error: ErrorName }[];

function errorsIn(typed: Typed, was: Settings, { began }: MemberSession): Errors {
  const ofTexts = contactNames.flatMap((field) => {
    const [read, error] = contacts[field];
    const text = typed[field].trim();
    return text === '' || read(text) !== null ? [] : [{ field, error }];
  });
  const { supportEmail, supportPhone, hold } = typed;
  const isBare = supportEmail.trim() === '' && supportPhone.trim() === '';
  const color = readAccentColor(typed.accentColor);
  const isFaint = color !== null && !isReadable(color);
  const isZone = typed.timeZone.trim() === '' || readTimeZone(typed.timeZone) !== null;
  const isOther = (typed.passkey !== '') !== was.requiresPasskey;
  const noColor = typed.accentColor.trim() !== '' && color === null;
  const needsContact = was.productionGrantedAtMs !== null && hasContact(was);
  return [
    ...ofTexts,
    ...(isBare && needsContact ? [{ field: 'supportEmail', error: 'needsContact' } as const] : []),
    ...(isOther && began !== 'passkey'
      ? [{ field: 'passkey', error: 'needsPasskey' } as const]
      : []),
    ...(noColor ? [{ field: 'accentColor', error: 'notAColor' } as const] : []),
    ...(isZone ? [] : [{ field: 'timeZone', error: 'notAZone' } as const]),
    ...(isFaint ? [{ field: 'accentColor', error: 'faintColor' } as const] : []),
    ...(/^\d{1,2}$/.test(hold) && mayHold(Number.parseInt(hold, 10), was.payoutHoldHours)
      ? []
      : [{ field: 'hold', error: 'notHours' } as const]),
  ];
}

async function save(context: PageContext, call: MemberCall<Typed>): Promise<PageAnswer> {
  const typed = call.form;
  const settings = await readSettings(context, call);
  const { session, memberId } = actorOf(call);
  const errors = errorsIn(typed, settings, session);
  if (errors.length > 0)
    return showForm(context, call, settings, { typed, errors, logoProblem: null });
  const { supportEmail, supportPhone, website, privacyUrl, termsUrl } = typed;
  const isChanged = await changeSettings(context.deps, settings.id, memberId, {
    version: Number.parseInt(typed.version, 10),
    contact: { supportEmail, supportPhone, website, privacyUrl, termsUrl },
    accentColor: typed.accentColor,
    approvalOf: [
      ...(typed.approval === '' ? [] : ['invoice' as const]),
      ...(typed.intentApproval === '' ? [] : ['payment_intent' as const]),
    ],
    payoutHoldHours: Number.parseInt(typed.hold, 10),
    sendsReminders: typed.reminders !== '',
    timeZone: typed.timeZone.trim() === '' ? settings.timeZone : typed.timeZone,
    requiresPasskey: typed.passkey !== '',
    began: session.began,
  });
  const shown = `${viewOf(context, call).path}/settings`;
  return seeOther(
    isChanged ? withDone(shown, 'settings_saved') : withNotice(`${shown}/change`, 'out_of_date'),
  );
}

async function saveLogo(context: PageContext, call: MemberCall): Promise<PageAnswer> {
  const { version, bytes } = await readFile(call, async (file) => ({
    bytes: await bytesOf(file, LOGO_BYTES_MAX),
    version: file.fields.get('version') ?? '',
  }));
  return replaceLogo(context, call, version, bytes);
}

async function replaceLogo(
  context: PageContext,
  call: MemberCall,
  version: string,
  bytes: Uint8Array | null,
): Promise<PageAnswer> {
  const settings = await readSettings(context, call);
  const change = { version: Number.parseInt(version, 10), bytes };
  const result = await changeLogo(context.deps, settings.id, actorOf(call).memberId, change);
  const shown = `${viewOf(context, call).path}/settings`;
  if (result === 'saved') return seeOther(withDone(shown, 'settings_saved'));
  if (result === 'out_of_date') return seeOther(withNotice(`${shown}/change`, 'out_of_date'));
  const filled = { typed: typedOf(settings), errors: [], logoProblem: result };
  return showForm(context, call, settings, filled);
}

async function showSettings(context: PageContext, call: MemberCall): Promise<PageAnswer> {
  const settings = await readSettings(context, call);
  const mayChange = allows(actorOf(call).scopes, 'org:write');
  return dashboardPage(viewOf(context, call), (scene) =>
    settingsScreen(scene, settings, mayChange),
  );
}

function settingsScreen(
  { texts, view, format }: DashboardScene,
  settings: Settings,
  mayChange: boolean,
): DashboardContent {
  const words = texts.setup.settings;
  const onOff = (isOn: boolean) => (isOn ? words.on : words.off);
  const contactRows = contactNames.map((name) => ({
    label: words[name],
    value: settings[name] === null ? words.none : <Foreign text={settings[name]} />,
  }));
  return {
    title: texts.places.settings,
    lede: words.lede,
    place: 'settings',
    actions: mayChange ? (
      <ButtonLink href={`${view.path}/settings/change`}>{texts.setup.start.change}</ButtonLink>
    ) : undefined,
    body: (
      <div class="cols even">
        <section class="card">
          <h2>{words.contact}</h2>
          <Rows
            rows={[
              ...contactRows,
              { label: words.reminders, value: onOff(settings.sendsReminders) },
            ]}
          />
        </section>
        <section class="card">
          <h2>{words.brand}</h2>
          <Rows
            rows={[
              {
                label: words.logo,
                value: settings.logoHash === null ? words.none : <LogoShown settings={settings} />,
              },
              { label: words.accentColor, value: settings.accentColor ?? words.none },
            ]}
          />
        </section>
        <section class="card">
          <h2>{words.rules}</h2>
          <Rows
            rows={[
              { label: words.approval, value: onOff(settings.requiresApproval) },
              { label: words.intentApproval, value: onOff(settings.intentsNeedApproval) },
              { label: words.hold, value: format.count(settings.payoutHoldHours) },
              { label: words.timeZone, value: settings.timeZone },
              { label: words.passkey, value: onOff(settings.requiresPasskey) },
            ]}
          />
          {mayChange ? null : <p class="small quiet">{words.ownersOnly}</p>}
        </section>
      </div>
    ),
  };
}

/** What was typed, and what is wrong with it. */
interface Filled {
  readonly typed: Typed;
  readonly errors: Errors;
  /** Why the file of a logo was not taken. */
  readonly logoProblem: LogoProblem | null;
}

function showForm(
  context: PageContext,
  call: MemberCall,
  settings: Settings,
  filled: Filled,
): Promise<PageAnswer> {
  const isRight = filled.errors.length === 0 && filled.logoProblem === null;
  const status = isRight ? 200 : 422;
  return Promise.resolve(
    dashboardPage(viewOf(context, call), (scene) => formScreen(scene, settings, filled), status),
  );
}

function formScreen(
  { texts, view, format }: DashboardScene,
  settings: Settings,
  { typed, errors, logoProblem }: Filled,
): DashboardContent {
  const words = texts.setup.settings;
  const textOf = (error: ErrorName): string => {
    if (error === 'notHours') return words.notHours(settings.payoutHoldHours);
    if (error !== 'faintColor') return words[error];
    // Rounded down, so that it is never said to be enough.
    const contrast = leastContrast(readAccentColor(typed.accentColor) ?? '');
    return words.faintColor(format.oneDecimal(Math.floor(contrast * 10) / 10));
  };
  const shown: readonly FieldError[] = [
    ...errors.map(({ field, error }) => ({ field, text: textOf(error) })),
    ...(logoProblem === null ? [] : [{ field: 'file', text: words.logoProblems[logoProblem] }]),
  ];
  const props = { typed, errors: shown };
  return {
    title: words.changeHeading,
    lede: words.lede,
    place: 'settings',
    crumbs: <a href={`${view.path}/settings`}>{texts.places.settings}</a>,
    errors: shown,
    body: (
      <div class="stack-l">
        <Form to="settings/change" class="stack-l">
          <input type="hidden" name="version" value={typed.version} />
          <div class="cols even">
            <ContactFields {...props} />
            <section class="card stack">
              <h2>{words.rules}</h2>
              <p class="small quiet">{words.rulesText}</p>
              <Rule name="approval" typed={typed} isOn={settings.requiresApproval} />
              <Rule name="intentApproval" typed={typed} isOn={settings.intentsNeedApproval} />
              <TextField
                name="hold"
                label={words.hold}
                hint={words.holdHint(settings.payoutHoldHours)}
                value={typed.hold}
                error={shown.find(({ field }) => field === 'hold')?.text}
                inputMode="numeric"
                maxLength={2}
                width="short"
              />
              <TextField
                name="timeZone"
                label={words.timeZone}
                hint={words.timeZoneHint}
                value={typed.timeZone}
                error={shown.find(({ field }) => field === 'timeZone')?.text}
                maxLength={60}
                spellcheck={false}
              />
              <CheckField
                name="passkey"
                label={words.passkey}
                hint={words.passkeyHint}
                error={shown.find(({ field }) => field === 'passkey')?.text}
                checked={typed.passkey !== ''}
              />
            </section>
            <AccentColor {...props} />
          </div>
          <div class="actions">
            <Button look="primary">{words.save}</Button>
          </div>
        </Form>
        <LogoForms settings={settings} error={shown.find(({ field }) => field === 'file')?.text} />
      </div>
    ),
  };
}

function ContactFields({
  typed,
  errors,
}: {
  readonly typed: Typed;
  readonly errors: readonly FieldError[];
}): VNode {
  const { texts } = useDashboard();
  const words = texts.setup.settings;
  return (
    <section class="card stack">
      <h2>{words.contact}</h2>
      <p class="small quiet">{words.contactText}</p>
      <Setting typed={typed} errors={errors} name="supportEmail" type="email" />
      <Setting typed={typed} errors={errors} name="supportPhone" type="tel" />
      <Setting typed={typed} errors={errors} name="website" type="url" />
      <Setting typed={typed} errors={errors} name="privacyUrl" type="url" />
      <Setting typed={typed} errors={errors} name="termsUrl" type="url" />
      <CheckField
        name="reminders"
        label={words.reminders}
        hint={words.remindersHint}
        checked={typed.reminders !== ''}
      />
    </section>
  );
}

function AccentColor({
  typed,
  errors,
}: {
  readonly typed: Typed;
  readonly errors: readonly FieldError[];
}): VNode {
  const { texts } = useDashboard();
  const words = texts.setup.settings;
  return (
    <section class="card stack">
      <h2>{words.brand}</h2>
      <p class="small quiet">{words.brandText}</p>
      <TextField
        name="accentColor"
        label={words.optional(words.accentColor)}
        hint={words.accentHint}
        value={typed.accentColor}
        error={errors.find(({ field }) => field === 'accentColor')?.text}
        maxLength={20}
        spellcheck={false}
        width="short"
      />
    </section>
  );
}

/** Saved by itself: a file is not kept while a form with other fields is corrected. */
function LogoForms({
  settings,
  error,
}: {
  readonly settings: Settings;
  readonly error: string | undefined;
}): VNode {
  const { texts } = useDashboard();
  const words = texts.setup.settings;
  const version = <input type="hidden" name="version" value={settings.version} />;
  return (
    <section class="card stack">
      <h2>{words.logo}</h2>
      {settings.logoHash === null ? null : (
        <div class="line ends">
          <LogoShown settings={settings} />
          <Form to="settings/logo/remove">
            {version}
            <Button look="sm">{words.removeLogo}</Button>
          </Form>
        </div>
      )}
      <Form to="settings/logo" files="by_button" class="stack">
        {version}
        <FileField
          name="file"
          label={words.logo}
          hint={words.logoHint}
          error={error}
          accept={logoTypes.join(',')}
        />
        <div class="actions">
          <Button>{words.saveLogo}</Button>
        </div>
      </Form>
    </section>
  );
}

function LogoShown({ settings }: { readonly settings: Settings }): VNode | null {
  const { texts, view } = useDashboard();
  const path = logoPath(settings);
  if (path === null) return null;
  return <img class="logo" src={`${view.root}${path}`} alt={texts.setup.settings.logoAlt} />;
}

/** A box to tick, unless the rule is on: only an operator switches it off. */
function Rule({
  name,
  typed,
  isOn,
}: {
  readonly name: 'approval' | 'intentApproval';
  readonly typed: Typed;
  readonly isOn: boolean;
}): VNode {
  const { texts } = useDashboard();
  const words = texts.setup.settings;
  if (!isOn) return <CheckField name={name} label={words[name]} checked={typed[name] !== ''} />;
  return (
    <p>
      {words[name]}: {words.on}
    </p>
  );
}

function Setting({
  name,
  type,
  typed,
  errors,
}: {
  readonly name: Contact;
  readonly type: 'email' | 'tel' | 'url';
  readonly typed: Typed;
  readonly errors: readonly FieldError[];
}): VNode {
  const { texts } = useDashboard();
  const words = texts.setup.settings;
  return (
    <TextField
      name={name}
      label={words.optional(words[name])}
      type={type}
      value={typed[name]}
      error={errors.find(({ field }) => field === name)?.text}
      maxLength={320}
      spellcheck={false}
    />
  );
}
