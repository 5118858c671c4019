// What the screens of a buyer may use: the view, the texts of its language and its formats. Parts
// of the layout read it from the context, screens get it as an argument.
import { assert } from '../../../core/errors.js';
import { type Format, formatOf } from '../kit/format.js';
import { type PageFrame, provided } from '../kit/page-frame.js';
import { nameOf } from '../kit/plain-text.js';
import { isDrawable } from '../pdf/drawable-text.js';
import type { PageView } from './page-view.js';
import type { Catalogue } from './texts/en.js';
import { catalogues } from './texts.js';

export type Scene = Readonly<{ view: PageView; texts: Catalogue; format: Format }>;

/** The scene of a page about a payment. */
export type PaymentScene = ReturnType<typeof paymentScene>;

export const [SceneProvider, useScene] = provided<Scene>();

export function sceneOf(view: PageView): Scene {
  return { view, texts: catalogues[view.locale], format: formatOf(view.locale, view) };
}

/** Forms name the version of the payment, once a buyer has signed in. */
export function frameOf({ view, format }: Scene): PageFrame {
  const formVersion = view.viewer === null ? undefined : view.payment?.version;
  return { view, formVersion, format };
}

export function paymentScene(scene: Scene) {
  const { payment, organization } = scene.view;
  assert(payment !== null && organization !== null, 'the page is about a payment');
  // As they stand inside a sentence.
  const names = { payee: nameOf(payment.payee), org: nameOf(organization.name) };
  /** Whether its print views are files, too: they show each of its texts. */
  const hasFile = isDrawable([payment, organization]);
  return { ...scene, ...names, payment, organization, hasFile };
}
