// What the law asks, as a table: each duty, who has it, by when, and what Ponte gives for it.
import type { Locale } from '../../../core/domain/base/locale.js';
import { type Duty, duties, dutyNames } from '../../../core/domain/law/duty.js';
import { formatOf } from '../kit/format.js';
import { Table } from '../kit/pages/table.js';
import { lawTexts } from './law-texts.js';

export function LawTable({ locale }: { readonly locale: Locale }) {
  const texts = lawTexts[locale];
  const format = formatOf(locale, { timeZone: 'UTC' });
  const [what, rule, who, given, source] = texts.heads;
  const ruleOf = (duty: Duty) => {
    const { rule: name, since } = duties[duty];
    const month = format.month(Date.parse(`${since}-01`));
    return since === null ? name : `${name}, ${texts.since(month)}`;
  };
  const givenOf = (duty: Duty) => texts.duties[duty].given.replaceAll('`', '');
  const sourceOf = (duty: Duty) =>
    duties[duty].isOpen ? `${duties[duty].source}. ${texts.open}*` : duties[duty].source;
  return (
    <div class="stack">
      <p>{texts.noAdvice}</p>
      <Table
        label={texts.title}
        rows={dutyNames}
        columns={({ column, named }) => [
          named(what, '', (duty) => [
            texts.duties[duty].what,
            [ruleOf(duty), texts.duties[duty].who, givenOf(duty), sourceOf(duty)].map((text) => (
              <span class="sub only-s">{text}</span>
            )),
          ]),
          column(rule, 'only-l', ruleOf),
          column(who, 'only-l', (duty) => texts.duties[duty].who),
          column(given, 'only-l', givenOf),
          column(source, 'only-l', sourceOf),
        ]}
      />
      <p class="small quiet">* {texts.openText}</p>
    </div>
  );
}

/** For a page that is about something else. */
export function LawSection({ locale }: { readonly locale: Locale }) {
  return (
    <section class="stack">
      <h2>{lawTexts[locale].title}</h2>
      <LawTable locale={locale} />
    </section>
  );
}
