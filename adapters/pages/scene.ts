// What every component may use: the view, the texts of its language and its formats. Components
// read it from the context, screens get it as an argument.
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { assert } from '../../core/errors.js';
import { type Format, formatOf } from './format.js';
import type { OrganizationView, PageView, PaymentView } from './page-view.js';
import type { Catalogue } from './texts/en.js';
import { catalogues } from './texts.js';

export interface Scene {
  readonly view: PageView;
  readonly texts: Catalogue;
  readonly format: Format;
}

/** Of a page about a payment. */
export interface PaymentScene extends Scene {
  readonly payment: PaymentView;
  readonly organization: OrganizationView;
  /** Names as they stand inside a sentence. */
  readonly payee: string;
  readonly org: string;
}

/** Marks that change the direction of the text after them, and control characters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
const invisible = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/g;
/** Hebrew, Arabic and the scripts beside them. */
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
const FIRST_STRONG_ISOLATE = '\u2068';
const POP_ISOLATE = '\u2069';

const SceneContext = createContext<Scene | null>(null);
export const SceneProvider = SceneContext.Provider;

export function useScene(): Scene {
  const scene = useContext(SceneContext);
  assert(scene !== null, 'components are rendered inside a page');
  return scene;
}

export function sceneOf(view: PageView): Scene {
  return { view, texts: catalogues[view.locale], format: formatOf(view.locale) };
}

export function paymentScene(scene: Scene): PaymentScene {
  const { payment, organization } = scene.view;
  assert(payment !== null && organization !== null, 'the page is about a payment');
  const names = { payee: nameOf(payment.payee), org: nameOf(organization.name) };
  return { ...scene, ...names, payment, organization };
}

/** A text of others without marks that reach beyond it; '' for anything but a text. */
export function plainText(text: unknown): string {
  return typeof text === 'string' ? text.replace(invisible, ' ').trim() : '';
}

/** A name inside a sentence: its direction does not change the words around it. */
export function nameOf(text: string): string {
  const name = plainText(text);
  return rightToLeft.test(name) ? `${FIRST_STRONG_ISOLATE}${name}${POP_ISOLATE}` : name;
}
