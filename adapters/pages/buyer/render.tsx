// From the facts of a page to its HTML. Preact escapes every text; there is no other way to make
// markup here.
import { renderToStaticMarkup } from 'preact-render-to-string';
import type { Screen } from '../../../core/domain/hosted/hosted-screen.js';
import { renderContent, type ScreenContent, Sheet } from '../hosted/layout.js';
import type { Page, PageView } from '../hosted/page-view.js';
import {
  frameOf,
  type PaymentScene,
  paymentScene,
  type Scene,
  SceneProvider,
  sceneOf,
} from '../hosted/scene.js';
import { FrameProvider } from '../kit/page-frame.js';
import { askScreen, enterScreen, linkEndedScreen, sentScreen } from './access-screens.js';
import { approvalScreen, askApproverScreen } from './colleagues/approval-screens.js';
import { shareScreen } from './colleagues/share-screen.js';
import { endedScreen } from './ended-screens.js';
import { kycScreens } from './kyc-screens.js';
import { arrivedScreen, onTheWayScreen, paidScreen, receiptPage } from './paid-screens.js';
import { paymentsScreen } from './payments-screen.js';
import {
  askPriceScreen,
  priceChangedScreen,
  priceExpiredScreen,
  priceLimitScreen,
  priceScreen,
} from './price-screens.js';
import { questionScreen } from './question-screen.js';
import { remittancePage } from './remittance-page.js';
import {
  notFoundScreen,
  problemScreen,
  stopChangeScreen,
  verifyScreen,
} from './service-screens.js';
import { togetherScreen } from './together-screen.js';
import {
  bankDetailsScreen,
  heldScreen,
  instructionsPage,
  preparingScreen,
  shortScreen,
  takeBackScreen,
} from './transfer-screens.js';

/** What a signed-in buyer sees, by the state of the payment. */
const paymentScreens = {
  kyc_form: kycScreens.form,
  kyc_verifying: kycScreens.verifying,
  kyc_corrections: kycScreens.corrections,
  price_ask: askPriceScreen,
  price: priceScreen,
  price_expired: priceExpiredScreen,
  price_limit: priceLimitScreen,
  preparing: preparingScreen,
  bank_details: bankDetailsScreen,
  held: heldScreen,
  short: shortScreen,
  arrived: arrivedScreen,
  on_the_way: onTheWayScreen,
  paid: paidScreen,
  unapproved: endedScreen('unapproved'),
  kyc_rejected: endedScreen('kyc_rejected'),
  failed: endedScreen('failed'),
  needs_review: endedScreen('needs_review'),
  refund_coming: endedScreen('refund_coming'),
  refunded: endedScreen('refunded'),
  refund_review: endedScreen('refund_review'),
  cancelled: endedScreen('cancelled'),
  expired: endedScreen('expired'),
} as const satisfies Record<Screen, (scene: PaymentScene) => ScreenContent>;

type PageOf<Name extends Page['name']> = Extract<Page, { name: Name }>;

const pages: {
  readonly [Name in Page['name']]: (scene: Scene, page: PageOf<Name>) => ScreenContent;
} = {
  ask: (scene) => askScreen(paymentScene(scene)),
  sent: sentScreen,
  enter: enterScreen,
  link_ended: linkEndedScreen,
  payment: (scene, { screen }) => paymentScreens[screen](paymentScene(scene)),
  kyc: (scene, { state }) => kycScreens[state](scene),
  price_changed: (scene, { shown }) => priceChangedScreen(paymentScene(scene), shown),
  take_back: (scene) => takeBackScreen(paymentScene(scene)),
  share: (scene, page) => shareScreen(paymentScene(scene), page),
  question: (scene, page) => questionScreen(paymentScene(scene), page),
  ask_approver: (scene, page) => askApproverScreen(paymentScene(scene), page),
  approval: (scene, page) => approvalScreen(paymentScene(scene), page),
  payments: (scene, list) => paymentsScreen(paymentScene(scene), list),
  together: (scene, { offer }) => togetherScreen(paymentScene(scene), offer),
  instructions: (scene) => instructionsPage(paymentScene(scene)),
  receipt: (scene) => receiptPage(paymentScene(scene)),
  remittance: (scene) => remittancePage(paymentScene(scene)),
  verify: verifyScreen,
  stop_change: stopChangeScreen,
  not_found: notFoundScreen,
  problem: problemScreen,
};

/** The whole document. */
export function renderPage(view: PageView): string {
  return renderContent(view, (scene) => contentOf(scene, view.page));
}

/** The title and the content of a print view, without the frame. */
export function renderForFile(view: PageView): { readonly title: string; readonly html: string } {
  const scene = sceneOf(view);
  const content = contentOf(scene, view.page);
  const sheet = (
    <FrameProvider value={frameOf(scene)}>
      <SceneProvider value={scene}>
        <Sheet content={content} />
      </SceneProvider>
    </FrameProvider>
  );
  return { title: content.title, html: renderToStaticMarkup(sheet) };
}

function contentOf<Name extends Page['name']>(scene: Scene, page: PageOf<Name>): ScreenContent {
  const screen = pages[page.name as Name];
  return screen(scene, page);
}
