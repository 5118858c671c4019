// What the pages of a seller say in each language, beside the words of the form and of its frame.
import type { VNode } from 'preact';
import type { Locale } from '../../../core/domain/base/locale.js';

type Node = VNode | string;

const en = {
  closed: (org: string) => `${org} asks you to complete your account`,
  closedText: (org: string) =>
    `This page opens with the link that ${org} sends you. ` +
    'A link works until you have saved something, for 7 days at most.',
  renew: (org: string) => `Ask ${org} for a new link. What you have saved stays.`,
  enter: (org: string) => `Complete your account at ${org}`,
  enterText: 'You enter who you are, and then the PIX key to which you are paid.',
  account: 'Account',
  askedBy: 'Asked for by',
  notYours: (org: string) => `Not your account? Close this page and let ${org} know.`,
  used: (when: Node) => ['It was used, or a newer link replaced it, on ', when, '.'],
  over: (when: Node) => ['It ran out on ', when, '.'],
  unknown: 'A part of it may have been lost on the way.',
  notYou: (org: string) => `If it was not you who opened it, let ${org} know.`,
  lede: (org: string) => `So that you can be paid through ${org}. It takes about 10 minutes.`,
  later: 'When your details are approved, you enter your PIX key on this page.',
  rejected: 'Your details were not accepted. Correct them and send them again.',
  waitText: (org: string) =>
    `You may close this page. ${org} sees the result; then you enter your PIX key here.`,
  addPix: 'Your details are approved',
  addPixText: 'One step is left: the PIX key to which you are paid.',
  addPixGo: 'Enter your PIX key',
  preparing: 'Your PIX key is set',
  preparingText: 'Your account is being opened. This takes a moment, and you need do nothing.',
  ready: 'You can be paid',
  readyText: (org: string) => `Nothing is left to do. To change your PIX key, ask ${org}.`,
  key: 'PIX key',
  pixLede: (org: string) =>
    'It goes to the settlement partner and is not stored here. Check it well: only ' +
    `${org} can change it later.`,
  pixTaken: (org: string) => `A PIX key was set before. Ask ${org} to change it.`,
};

type OnboardingTexts = typeof en;

const ptBr: OnboardingTexts = {
  closed: (org) => `${org} pede que você complete a sua conta`,
  closedText: (org) =>
    `Esta página se abre com o link que ${org} envia. ` +
    'Um link funciona até você salvar algo, por no máximo 7 dias.',
  renew: (org) => `Peça um novo link a ${org}. O que você salvou continua salvo.`,
  enter: (org) => `Complete a sua conta em ${org}`,
  enterText: 'Você informa quem é e, depois, a chave PIX em que recebe.',
  account: 'Conta',
  askedBy: 'Pedido por',
  notYours: (org) => `A conta não é sua? Feche esta página e avise ${org}.`,
  used: (when) => ['Ele foi usado, ou um link mais novo o substituiu, em ', when, '.'],
  over: (when) => ['Ele venceu em ', when, '.'],
  unknown: 'Uma parte dele pode ter se perdido no caminho.',
  notYou: (org) => `Se não foi você quem o abriu, avise ${org}.`,
  lede: (org) => `Para você receber por meio de ${org}. Leva cerca de 10 minutos.`,
  later: 'Quando os seus dados forem aprovados, você informa a sua chave PIX nesta página.',
  rejected: 'Os seus dados não foram aceitos. Corrija e envie de novo.',
  waitText: (org) =>
    `Você pode fechar esta página. ${org} vê o resultado; depois você informa aqui a chave PIX.`,
  addPix: 'Os seus dados foram aprovados',
  addPixText: 'Falta um passo: a chave PIX em que você recebe.',
  addPixGo: 'Informar a chave PIX',
  preparing: 'A sua chave PIX está definida',
  preparingText: 'A sua conta está sendo aberta. Leva um momento, e você não precisa fazer nada.',
  ready: 'Você já pode receber',
  readyText: (org) => `Não falta mais nada. Para mudar a chave PIX, fale com ${org}.`,
  key: 'Chave PIX',
  pixLede: (org) =>
    'Ela vai ao parceiro de liquidação e não é guardada aqui. Confira bem: depois só ' +
    `${org} pode mudá-la.`,
  pixTaken: (org) => `Já há uma chave PIX. Peça a ${org} para mudá-la.`,
};

const es: OnboardingTexts = {
  closed: (org) => `${org} le pide completar su cuenta`,
  closedText: (org) =>
    `Esta página se abre con el enlace que le envía ${org}. ` +
    'Funciona hasta que guarde algo, durante 7 días como máximo.',
  renew: (org) => `Pida un enlace nuevo a ${org}. Lo que ha guardado se conserva.`,
  enter: (org) => `Complete su cuenta en ${org}`,
  enterText: 'Usted indica quién es y, después, la clave PIX en la que cobra.',
  account: 'Cuenta',
  askedBy: 'Solicitado por',
  notYours: (org) => `¿No es su cuenta? Cierre esta página y avise a ${org}.`,
  used: (when) => ['Se usó, o un enlace más nuevo lo sustituyó, el ', when, '.'],
  over: (when) => ['Venció el ', when, '.'],
  unknown: 'Puede que una parte se haya perdido por el camino.',
  notYou: (org) => `Si no fue usted quien lo abrió, avise a ${org}.`,
  lede: (org) => `Para que pueda cobrar a través de ${org}. Tarda unos 10 minutos.`,
  later: 'Cuando sus datos estén aprobados, indica su clave PIX en esta página.',
  rejected: 'Sus datos no fueron aceptados. Corríjalos y envíelos de nuevo.',
  waitText: (org) =>
    `Puede cerrar esta página. ${org} ve el resultado; después usted indica aquí su clave PIX.`,
  addPix: 'Sus datos están aprobados',
  addPixText: 'Falta un paso: la clave PIX en la que cobra.',
  addPixGo: 'Indicar la clave PIX',
  preparing: 'Su clave PIX está definida',
  preparingText: 'Se está abriendo su cuenta. Tarda un momento, y no tiene que hacer nada.',
  ready: 'Ya puede cobrar',
  readyText: (org) => `No queda nada por hacer. Para cambiar la clave PIX, consulte a ${org}.`,
  key: 'Clave PIX',
  pixLede: (org) =>
    'Va al proveedor de liquidación y no se guarda aquí. Revísela bien: después solo ' +
    `${org} puede cambiarla.`,
  pixTaken: (org) => `Ya hay una clave PIX. Pida a ${org} que la cambie.`,
};

export const onboardingTexts: Readonly<Record<Locale, OnboardingTexts>> = { en, 'pt-BR': ptBr, es };
