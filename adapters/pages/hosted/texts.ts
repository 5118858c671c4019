// The catalogue of each language. English defines the keys; a text that is missing in another
// language does not compile.
import type { Locale } from '../../../core/domain/base/locale.js';
import { type Catalogue, en } from './texts/en.js';
import { es } from './texts/es.js';
import { ptBr } from './texts/pt-br.js';

export const catalogues: Readonly<Record<Locale, Catalogue>> = { en, 'pt-BR': ptBr, es };
