// Whether a CSV file is for Excel or for programs: the field of each page that downloads one, and
// how the file is written.
import { z } from 'zod';
import {
  BYTE_ORDER_MARK,
  type CsvStyle,
  hasDecimalComma,
  programStyle,
  spreadsheetCsv,
} from '../kit/csv-line.js';
import { CheckField } from '../kit/fields.js';
import { localeOfCall, useDashboard } from './dashboard-scene.js';
import { actorOf, type MemberCall } from './member-pages.js';

export const csvField = { bom: z.string().max(3).optional() } as const;

/** Ticked where Excel expects a decimal comma: it does not read the file for programs there. */
export function CsvChoice() {
  const { texts, view } = useDashboard();
  const { bom, bomHint } = texts.export;
  return <CheckField name="bom" label={bom} hint={bomHint} checked={hasDecimalComma(view)} />;
}

/** A file for Excel is that of the language. */
export function chosenStyle(call: MemberCall<{ readonly bom?: string | undefined }>): CsvStyle {
  if (call.form.bom !== 'yes') return programStyle;
  const { timeZone } = actorOf(call).organization;
  const { hasDecimalPoint } = call;
  const form = spreadsheetCsv({ locale: localeOfCall(call), hasDecimalPoint, timeZone });
  return { begin: BYTE_ORDER_MARK, form };
}
