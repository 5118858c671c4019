// Settings of the organization, for both modes: what buyers see, who approves, and how long a
// changed PIX destination is held. Owners change them, others read them.

import type { VNode } from 'preact';
import { allows } from '../../../../core/domain/access/scope.js';
import { readEmail } from '../../../../core/domain/base/email-address.js';
import { readTimeZone } from '../../../../core/domain/base/time-zone.js';
import { plainSigns } from '../../../../core/domain/base/typed-text.js';
import {
  isReadableColor,
  leastContrast,
  readAccentColor,
} from '../../../../core/domain/parties/accent-color.js';
import { LOGO_BYTES_MAX, logoTypes } from '../../../../core/domain/parties/logo.js';
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
import { FileField } from '../../kit/fields.js';
import { logoPath } from '../../kit/files/logo-file.js';
import { bytesOf, readFile } from '../../kit/files/uploaded-file.js';
import type { PageContext } from '../../kit/page-route.js';
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
import { type DashboardScene, sceneOf, useDashboard, viewOf } from '../dashboard-scene.js';
import { actorOf, anyRole, type MemberCall } from '../member-page.js';
import { memberPages } from '../member-pages.js';

const change = { scope: 'org:write', proof: 'fresh' } as const;
const CHANGE = '/settings/change';

/** How a text of buyers is read, what is said of a wrong one, and what it is in a browser. */
const contacts = {
  supportEmail: [readEmail, 'not_an_address', 'email'],
  supportPhone: [readPhone, 'notAPhone', 'tel'],
  website: [readWebsite, 'notAUrl', 'url'],
  privacyUrl: [readWebsite, 'notAUrl', 'url'],
  termsUrl: [readWebsite, 'notAUrl', 'url'],
} as const;
type Contact = keyof typeof contacts;
const contactNames = Object.keys(contacts) as readonly Contact[];

interface Settings extends Organization {
  readonly intentsNeedApproval: boolean;
  readonly payoutHoldHours: number;
  readonly isByPasskey: boolean;
  readonly mayChange: boolean;
}

async function readSettings({ deps }: PageContext, call: MemberCall): Promise<Settings> {
  const { orgId, scopes, session } = actorOf(call);
  const { organization, profile } = await readStanding(deps, { orgId, mode: 'live' });
  const { intentsNeedApproval, payoutHoldHours } = profile;
  const isByPasskey = session.began === 'passkey';
  const mayChange = allows(scopes, 'org:write');
  return { ...organization, intentsNeedApproval, payoutHoldHours, isByPasskey, mayChange };
}

const onIf = (isOn: boolean) => (isOn ? 'yes' : '');

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
        <>
          <ButtonLink href={`${scene.view.path}/vendor-documents`}>
            {scene.texts.vendorPapers.heading}
          </ButtonLink>
          {settings.mayChange ? (
            <ButtonLink href={`${scene.view.path}${CHANGE}`}>
              {scene.texts.setup.start.change}
            </ButtonLink>
          ) : null}
        </>
      ),
      body: <Shown scene={scene} settings={settings} />,
    }),
  }),
  ...memberPages.form(
    {
      path: CHANGE,
      access: change,
      back: () => '/settings',
      load: readSettings,
      typed: (settings) => ({
        ...Object.fromEntries(contactNames.map((name) => [name, settings[name] ?? ''])),
        version: `${settings.version}`,
        accentColor: settings.accentColor ?? '',
        approval: onIf(settings.requiresApproval),
        intentApproval: onIf(settings.intentsNeedApproval),
        hold: `${settings.payoutHoldHours}`,
        reminders: onIf(settings.sendsReminders),
        timeZone: settings.timeZone,
        passkey: onIf(settings.requiresPasskey),
      }),
      fields: (scene, settings) => ({
        version,
        ...contactFields(scene, settings),
        ...ruleFields(scene, settings),
        accentColor: colorField(scene),
        file: logoField(scene),
      }),
      show: ({ texts, view }, settings) => ({
        title: texts.setup.settings.changeHeading,
        lede: texts.setup.settings.lede,
        place: 'settings',
        crumbs: <a href={`${view.path}/settings`}>{texts.places.settings}</a>,
        submit: texts.setup.settings.save,
        around: (_, fields) => <Parts settings={settings} fields={fields} />,
      }),
      async save({ deps }, call, { subject, values }) {
        const { approval, intentApproval, hold, reminders, timeZone, passkey, ...given } = values;
        const { session, memberId } = actorOf(call);
        const isSaved = await changeSettings(deps, subject.id, memberId, {
          version: given.version,
          contact: given,
          accentColor: given.accentColor,
          approvalOf: [
            ...(approval ? ['invoice' as const] : []),
            ...(intentApproval ? ['payment_intent' as const] : []),
          ],
          payoutHoldHours: hold,
          sendsReminders: reminders,
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
        async run(context, call) {
          const { version, bytes } = await readFile(call, async (file) => ({
            bytes: await bytesOf(file, LOGO_BYTES_MAX),
            version: file.fields.get('version') ?? '',
          }));
          return replaceLogo(context, call, version, bytes);
        },
      },
      {
        path: '/settings/logo/remove',
        access: change,
        form: typedForm,
        run: (context, call) =>
          replaceLogo(context, call, (call.form as TypedForm)['version'] ?? '', null),
      },
    ],
  ),
];

const saved = { to: '/settings', done: 'settings_saved' } as const;
const outOfDate = { to: CHANGE, notice: 'out_of_date' } as const;

async function replaceLogo(
  context: PageContext,
  call: MemberCall,
  version: string,
  bytes: Uint8Array | null,
) {
  const { orgId, memberId } = actorOf(call);
  const change = { version: Number.parseInt(version, 10), bytes };
  const result = await changeLogo(context.deps, orgId, memberId, change);
  if (result === 'saved') return saved;
  if (result === 'out_of_date') return outOfDate;
  const { logoProblems } = sceneOf(viewOf(context, call)).texts.setup.settings;
  return { problem: { field: 'file', text: logoProblems[result] } };
}

function contactFields({ texts }: DashboardScene, settings: Settings) {
  const words = texts.setup.settings;
  const needsContact = settings.productionGrantedAtMs !== null && hasContact(settings);
  const isBare = ({ supportEmail = '', supportPhone = '' }: TypedForm) =>
    supportEmail.trim() === '' && supportPhone.trim() === '';
  const contact = (name: Contact): DeclaredField<string> => {
    const [read, problem, type] = contacts[name];
    const mayBeEmpty = (typed: TypedForm) =>
      name !== 'supportEmail' || !needsContact || !isBare(typed);
    return textAs({
      label: words.optional(words[name]),
      type,
      max: 320,
      spellcheck: false,
      problem: (text) => {
        if (text === '') return words.needsContact;
        return name === 'supportEmail' ? emailText(words, text) : words[problem];
      },
      read: (text, typed) =>
        (text === '' ? mayBeEmpty(typed) : read(text) !== null) ? text : null,
    });
  };
  return {
    supportEmail: contact('supportEmail'),
    supportPhone: contact('supportPhone'),
    website: contact('website'),
    privacyUrl: contact('privacyUrl'),
    termsUrl: contact('termsUrl'),
    reminders: tick({ label: words.reminders, hint: words.remindersHint }),
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
    label: words.optional(words.accentColor),
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

function Shown({ scene, settings }: { scene: DashboardScene; settings: Settings }): VNode {
  const { format, texts } = scene;
  const words = texts.setup.settings;
  const onOff = (isOn: boolean) => (isOn ? words.on : words.off);
  const contactRows = contactNames.map((name) => ({
    label: words[name],
    value: settings[name] === null ? words.none : <Foreign text={settings[name]} />,
  }));
  const logo = settings.logoHash === null ? words.none : <Logo settings={settings} />;
  const reminders = { label: words.reminders, value: onOff(settings.sendsReminders) };
  return (
    <div class="cols even">
      <section class="card">
        <h2>{words.contact}</h2>
        <Rows rows={[...contactRows, reminders]} />
      </section>
      <section class="card">
        <h2>{words.brand}</h2>
        <Rows
          rows={[
            { label: words.logo, value: logo },
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
        {settings.mayChange ? null : <p class="small quiet">{words.ownersOnly}</p>}
      </section>
    </div>
  );
}

function Parts({ settings, fields }: { settings: Settings; fields: ShownFields }): VNode {
  const words = useDashboard().texts.setup.settings;
  const part = (heading: string, text: string, names: readonly string[]) => (
    <section class="card stack">
      <h2>{heading}</h2>
      <p class="small quiet">{text}</p>
      {names.map((name) => fields[name])}
    </section>
  );
  const rules = ['approval', 'intentApproval', 'hold', 'timeZone', 'passkey'];
  return (
    <div class="stack-l">
      <Form to="settings/change" class="stack-l">
        {fields['version']}
        <div class="cols even">
          {part(words.contact, words.contactText, [...contactNames, 'reminders'])}
          {part(words.rules, words.rulesText, rules)}
          {part(words.brand, words.brandText, ['accentColor'])}
        </div>
        <div class="actions">
          <Button look="primary">{words.save}</Button>
        </div>
      </Form>
      <section class="card stack">
        <h2>{words.logo}</h2>
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
          <div class="actions">
            <Button>{words.saveLogo}</Button>
          </div>
        </Form>
      </section>
    </div>
  );
}

function Logo({ settings }: { readonly settings: Settings }): VNode | null {
  const { texts, view } = useDashboard();
  const path = logoPath(settings);
  if (path === null) return null;
  return <img class="logo" src={`${view.root}${path}`} alt={texts.setup.settings.logoAlt} />;
}
