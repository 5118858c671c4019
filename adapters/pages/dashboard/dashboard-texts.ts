// The catalogue of each language. English defines the keys; a text that is missing in another
// language does not compile.
import type { Locale } from '../../../core/domain/base/locale.js';
import { type DashboardTexts, dashboardEn } from './texts/dashboard-en.js';
import { dashboardEs } from './texts/dashboard-es.js';
import { dashboardPtBr } from './texts/dashboard-pt-br.js';

export const dashboardTexts: Readonly<Record<Locale, DashboardTexts>> = {
  en: dashboardEn,
  'pt-BR': dashboardPtBr,
  es: dashboardEs,
};
