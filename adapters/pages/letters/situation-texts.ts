// What the seller reads about a payment in each situation: what happened, and what happens next.
// Pages of the dashboard and mails to the organization have the same sentences.
import {
  type DeadlineText,
  deadline,
  type SayDeadline,
} from '../../../core/domain/base/deadline.js';
import type { Locale } from '../../../core/domain/base/locale.js';
import { dayOf } from '../../../core/domain/base/time-zone.js';
import type { ShownView } from '../../../core/domain/payments/change.js';
import type { PaymentStatus } from '../../../core/domain/payments/payment.js';
import {
  endOf,
  overdueDays,
  type Situation,
  type SituationRule,
  situationAmounts,
  situationOf,
  situations,
} from '../../../core/domain/payments/situation.js';
import { type Format, sentence } from '../kit/format.js';

/** Amounts with their currency, days and names as they are shown; null for what is not known. */
export interface SituationFacts {
  readonly buyer: string;
  readonly payee: string;
  readonly amount: string;
  readonly received: string;
  readonly missing: string;
  readonly goesBack: string;
  readonly wentBack: string;
  /** What the seller has, in BRL. */
  readonly settled: string | null;
  readonly settledOn: string | null;
  /** The last day on which money can arrive. */
  readonly until: SayDeadline<string> | null;
  /** The status, in words. */
  readonly status: string;
}

type Say = (facts: SituationFacts) => string;
/** `pill`: only where the status alone would mislead. */
type SituationText = Readonly<{ what: Say; next: Say; pill?: Say }>;
export type SituationTexts = Readonly<Record<Situation, SituationText>>;

/** Without a payment; of a transfer; of what is missing, which mails say too. */
export const situationDeadlines = {
  en: {
    end: {
      ahead: (until) => `Without a payment it ends on ${until}.`,
      over: (until) => `Without a payment it was to end on ${until}.`,
    },
    transfer: {
      ahead: (until) => `It can arrive until ${until}.`,
      over: (until) => `It could arrive until ${until}. What comes now goes back.`,
    },
    rest: {
      ahead: (until) => `If it is not here by ${until}, everything goes back.`,
      over: (until) => `It had to be here by ${until}: everything goes back.`,
    },
  },
  'pt-BR': {
    end: {
      ahead: (until) => `Sem pagamento, expira em ${until}.`,
      over: (until) => `Sem pagamento, devia expirar em ${until}.`,
    },
    transfer: {
      ahead: (until) => `Pode chegar até ${until}.`,
      over: (until) => `Podia chegar até ${until}. O que chegar agora é devolvido.`,
    },
    rest: {
      ahead: (until) => `Se não chegar até ${until}, tudo é devolvido.`,
      over: (until) => `Devia chegar até ${until}: tudo é devolvido.`,
    },
  },
  es: {
    end: {
      ahead: (until) => `Sin pago, caduca el ${until}.`,
      over: (until) => `Sin pago, debía caducar el ${until}.`,
    },
    transfer: {
      ahead: (until) => `Puede llegar hasta el ${until}.`,
      over: (until) => `Podía llegar hasta el ${until}. Lo que llegue ahora se devuelve.`,
    },
    rest: {
      ahead: (until) => `Si no llega a más tardar el ${until}, se devuelve todo.`,
      over: (until) => `Debía llegar a más tardar el ${until}: se devuelve todo.`,
    },
  },
} as const satisfies Record<Locale, Record<string, DeadlineText<string>>>;

const nothing = () => '';

const en: SituationTexts = {
  needs_approval: {
    what: ({ amount, payee }) => `${amount} for ${payee} waits for approval.`,
    next: ({ buyer }) => `${buyer} is asked to pay once somebody has approved it.`,
  },
  to_invite: {
    what: ({ buyer }) => `${buyer} was not emailed yet.`,
    next: () => 'The page opens when you invite the buyer.',
  },
  with_buyer: {
    what: ({ buyer, amount }) => `${buyer} is asked for ${amount} and has not begun.`,
    next: ({ until }) => until?.(situationDeadlines.en.end) ?? nothing(),
  },
  checking_buyer: {
    what: ({ buyer }) => `${buyer} proves who it is.`,
    next: () => 'The settlement partner decides; then the buyer sees the price.',
  },
  buyer_cleared: {
    what: ({ buyer }) => `${buyer} is verified and has not asked for the price.`,
    next: ({ until }) => until?.(situationDeadlines.en.end) ?? nothing(),
  },
  price_shown: {
    what: ({ buyer }) => `${buyer} sees the price and has not confirmed it.`,
    next: () => 'The bank details are shown once it is confirmed.',
  },
  awaiting_money: {
    what: ({ buyer, amount }) => `${buyer} has the bank details; ${amount} has not arrived.`,
    next: ({ until }) =>
      until?.(situationDeadlines.en.transfer) ?? 'A transfer takes up to some days.',
  },
  money_missing: {
    what: ({ buyer, received, missing }) => `${buyer} sent ${received}; ${missing} is missing.`,
    next: ({ until }) =>
      'The buyer knows it, and pays the rest to the same account with the same reference. ' +
      (until?.(situationDeadlines.en.rest) ?? 'Until then the money is held.'),
    pill: ({ missing }) => `${missing} missing`,
  },
  money_early: {
    what: ({ received }) => `${received} arrived before the price was confirmed.`,
    next: ({ buyer }) => `It is held until ${buyer} confirms the price, or goes back.`,
    pill: ({ status }) => `${status}, money held`,
  },
  money_arrived: {
    what: ({ received }) => `${received} arrived.`,
    next: ({ payee }) => `It is changed into BRL and paid to ${payee} by PIX.`,
  },
  paying_out: {
    what: ({ payee }) => `The PIX to ${payee} is on its way.`,
    next: () => 'It usually takes minutes.',
  },
  paid: {
    what: ({ payee, settled, settledOn }) =>
      settled === null
        ? `${payee} was paid.`
        : `${payee} received ${settled} by PIX${settledOn === null ? '' : ` on ${settledOn}`}.`,
    next: nothing,
  },
  surplus_going_back: {
    what: ({ payee, goesBack }) => `${payee} was paid; ${goesBack} above the amount goes back.`,
    next: ({ buyer }) => `${buyer} gets it from the settlement partner.`,
    pill: ({ status, goesBack }) => `${status}, ${goesBack} back`,
  },
  surplus_returned: {
    what: ({ payee, wentBack }) => `${payee} was paid; ${wentBack} above the amount went back.`,
    next: nothing,
    pill: ({ status, wentBack }) => `${status}, ${wentBack} back`,
  },
  going_back: {
    what: ({ status, goesBack, received, buyer }) =>
      `${status}. ${goesBack || received} goes back to ${buyer}.`,
    next: () => 'It arrives in the account that it came from. Nobody has to do anything.',
    pill: ({ status }) => `${status}, owed back`,
  },
  returned: {
    what: ({ status, wentBack, buyer }) => `${status}. ${wentBack} went back to ${buyer}.`,
    next: nothing,
    pill: ({ status }) => `${status}, returned`,
  },
  not_paid: {
    what: ({ status }) => `${status}. No money arrived.`,
    next: () => 'Money that arrives later goes back to the buyer.',
  },
  with_operator: {
    what: ({ received, buyer }) => `${received} of ${buyer} is with the operator of the service.`,
    next: () => 'The operator decides what happens. You need do nothing, and nobody pays again.',
    pill: () => 'With the operator',
  },
};

const ptBr: SituationTexts = {
  needs_approval: {
    what: ({ amount, payee }) => `${amount} para ${payee} aguarda aprovação.`,
    next: ({ buyer }) => `Depois da aprovação, ${buyer} recebe o pedido de pagamento.`,
  },
  to_invite: {
    what: ({ buyer }) => `${buyer} ainda não recebeu o e-mail.`,
    next: () => 'A página abre quando você convida o comprador.',
  },
  with_buyer: {
    what: ({ buyer, amount }) => `${buyer} recebeu o pedido de ${amount} e ainda não começou.`,
    next: ({ until }) => until?.(situationDeadlines['pt-BR'].end) ?? nothing(),
  },
  checking_buyer: {
    what: ({ buyer }) => `${buyer} está comprovando a identidade.`,
    next: () => 'O parceiro de liquidação decide; depois o comprador vê o preço.',
  },
  buyer_cleared: {
    what: ({ buyer }) => `${buyer} foi verificado e ainda não pediu o preço.`,
    next: ({ until }) => until?.(situationDeadlines['pt-BR'].end) ?? nothing(),
  },
  price_shown: {
    what: ({ buyer }) => `${buyer} viu o preço e ainda não confirmou.`,
    next: () => 'Os dados bancários aparecem depois da confirmação.',
  },
  awaiting_money: {
    what: ({ buyer, amount }) => `${buyer} tem os dados bancários; ${amount} ainda não chegou.`,
    next: ({ until }) =>
      until?.(situationDeadlines['pt-BR'].transfer) ?? 'Uma transferência leva até alguns dias.',
  },
  money_missing: {
    what: ({ buyer, received, missing }) => `${buyer} enviou ${received}; faltam ${missing}.`,
    next: ({ until }) =>
      'O comprador foi avisado e paga o resto na mesma conta, com a mesma referência. ' +
      (until?.(situationDeadlines['pt-BR'].rest) ?? 'Até lá o valor fica retido.'),
    pill: ({ missing }) => `Faltam ${missing}`,
  },
  money_early: {
    what: ({ received }) => `${received} chegou antes da confirmação do preço.`,
    next: ({ buyer }) => `Fica retido até ${buyer} confirmar o preço, ou é devolvido.`,
    pill: ({ status }) => `${status}, valor retido`,
  },
  money_arrived: {
    what: ({ received }) => `${received} chegou.`,
    next: ({ payee }) => `Será convertido em BRL e pago a ${payee} por PIX.`,
  },
  paying_out: {
    what: ({ payee }) => `O PIX para ${payee} foi enviado.`,
    next: () => 'Costuma levar alguns minutos.',
  },
  paid: {
    what: ({ payee, settled, settledOn }) =>
      settled === null
        ? `${payee} recebeu o pagamento.`
        : `${payee} recebeu ${settled} por PIX${settledOn === null ? '' : ` em ${settledOn}`}.`,
    next: nothing,
  },
  surplus_going_back: {
    what: ({ payee, goesBack }) => `${payee} recebeu; ${goesBack} pagos a mais serão devolvidos.`,
    next: ({ buyer }) => `${buyer} recebe do parceiro de liquidação.`,
    pill: ({ status, goesBack }) => `${status}, devolve ${goesBack}`,
  },
  surplus_returned: {
    what: ({ payee, wentBack }) => `${payee} recebeu; ${wentBack} pagos a mais foram devolvidos.`,
    next: nothing,
    pill: ({ status, wentBack }) => `${status}, devolvido ${wentBack}`,
  },
  going_back: {
    what: ({ status, goesBack, received, buyer }) =>
      `${status}. ${goesBack || received} será devolvido a ${buyer}.`,
    next: () => 'Chega na conta de onde veio. Ninguém precisa fazer nada.',
    pill: ({ status }) => `${status}, a devolver`,
  },
  returned: {
    what: ({ status, wentBack, buyer }) => `${status}. ${wentBack} foi devolvido a ${buyer}.`,
    next: nothing,
    pill: ({ status }) => `${status}, devolvido`,
  },
  not_paid: {
    what: ({ status }) => `${status}. Nenhum valor chegou.`,
    next: () => 'O que chegar depois é devolvido ao comprador.',
  },
  with_operator: {
    what: ({ received, buyer }) => `${received} de ${buyer} está com o operador do serviço.`,
    next: () => 'O operador decide. Você não precisa fazer nada, e ninguém deve pagar de novo.',
    pill: () => 'Com o operador',
  },
};

const es: SituationTexts = {
  needs_approval: {
    what: ({ amount, payee }) => `${amount} para ${payee} espera aprobación.`,
    next: ({ buyer }) => `Tras la aprobación, ${buyer} recibe la solicitud de pago.`,
  },
  to_invite: {
    what: ({ buyer }) => `${buyer} todavía no recibió el correo.`,
    next: () => 'La página se abre cuando invita al comprador.',
  },
  with_buyer: {
    what: ({ buyer, amount }) => `${buyer} recibió la solicitud de ${amount} y no ha empezado.`,
    next: ({ until }) => until?.(situationDeadlines.es.end) ?? nothing(),
  },
  checking_buyer: {
    what: ({ buyer }) => `${buyer} está acreditando su identidad.`,
    next: () => 'El socio de liquidación decide; después el comprador ve el precio.',
  },
  buyer_cleared: {
    what: ({ buyer }) => `${buyer} está verificado y no ha pedido el precio.`,
    next: ({ until }) => until?.(situationDeadlines.es.end) ?? nothing(),
  },
  price_shown: {
    what: ({ buyer }) => `${buyer} ve el precio y no lo ha confirmado.`,
    next: () => 'Los datos bancarios aparecen tras la confirmación.',
  },
  awaiting_money: {
    what: ({ buyer, amount }) => `${buyer} tiene los datos bancarios; ${amount} no ha llegado.`,
    next: ({ until }) =>
      until?.(situationDeadlines.es.transfer) ?? 'Una transferencia tarda hasta unos días.',
  },
  money_missing: {
    what: ({ buyer, received, missing }) => `${buyer} envió ${received}; faltan ${missing}.`,
    next: ({ until }) =>
      'El comprador fue avisado y paga el resto a la misma cuenta, con la misma referencia. ' +
      (until?.(situationDeadlines.es.rest) ?? 'Hasta entonces el importe queda retenido.'),
    pill: ({ missing }) => `Faltan ${missing}`,
  },
  money_early: {
    what: ({ received }) => `${received} llegó antes de la confirmación del precio.`,
    next: ({ buyer }) => `Queda retenido hasta que ${buyer} confirme el precio, o se devuelve.`,
    pill: ({ status }) => `${status}, retenido`,
  },
  money_arrived: {
    what: ({ received }) => `${received} llegó.`,
    next: ({ payee }) => `Se cambia a BRL y se paga a ${payee} por PIX.`,
  },
  paying_out: {
    what: ({ payee }) => `El PIX a ${payee} está en camino.`,
    next: () => 'Suele tardar unos minutos.',
  },
  paid: {
    what: ({ payee, settled, settledOn }) =>
      settled === null
        ? `${payee} recibió el pago.`
        : `${payee} recibió ${settled} por PIX${settledOn === null ? '' : ` el ${settledOn}`}.`,
    next: nothing,
  },
  surplus_going_back: {
    what: ({ payee, goesBack }) => `${payee} recibió el pago; se devuelven ${goesBack} de más.`,
    next: ({ buyer }) => `${buyer} lo recibe del socio de liquidación.`,
    pill: ({ status, goesBack }) => `${status}, devuelve ${goesBack}`,
  },
  surplus_returned: {
    what: ({ payee, wentBack }) => `${payee} recibió el pago; se devolvieron ${wentBack} de más.`,
    next: nothing,
    pill: ({ status, wentBack }) => `${status}, devuelto ${wentBack}`,
  },
  going_back: {
    what: ({ status, goesBack, received, buyer }) =>
      `${status}. ${goesBack || received} se devuelve a ${buyer}.`,
    next: () => 'Llega a la cuenta de la que vino. Nadie tiene que hacer nada.',
    pill: ({ status }) => `${status}, por devolver`,
  },
  returned: {
    what: ({ status, wentBack, buyer }) => `${status}. ${wentBack} se devolvió a ${buyer}.`,
    next: nothing,
    pill: ({ status }) => `${status}, devuelto`,
  },
  not_paid: {
    what: ({ status }) => `${status}. No llegó ningún importe.`,
    next: () => 'Lo que llegue después se devuelve al comprador.',
  },
  with_operator: {
    what: ({ received, buyer }) => `${received} de ${buyer} está con el operador del servicio.`,
    next: () => 'El operador decide. Usted no tiene que hacer nada, y nadie debe pagar otra vez.',
    pill: () => 'Con el operador',
  },
};

export const situationTexts: Readonly<Record<Locale, SituationTexts>> = { en, 'pt-BR': ptBr, es };

export const statusTexts: Readonly<Record<Locale, Readonly<Record<PaymentStatus, string>>>> = {
  en: {
    awaiting_approval: 'Needs approval',
    approved: 'Approved, not sent',
    awaiting_buyer: 'Waiting for buyer',
    buyer_kyc_pending: 'Checking buyer',
    buyer_kyc_approved: 'Buyer cleared',
    fx_quoted: 'Price shown',
    on_ramp_pending: 'Waiting for money',
    on_chain_confirmed: 'Money arrived',
    offramp_pending: 'Paying out',
    settled: 'Paid',
    failed: 'Failed',
    cancelled: 'Cancelled',
    expired: 'Expired',
  },
  'pt-BR': {
    awaiting_approval: 'Aguarda aprovação',
    approved: 'Aprovado, não enviado',
    awaiting_buyer: 'Aguarda o comprador',
    buyer_kyc_pending: 'Verificando o comprador',
    buyer_kyc_approved: 'Comprador aprovado',
    fx_quoted: 'Preço exibido',
    on_ramp_pending: 'Aguarda o valor',
    on_chain_confirmed: 'Valor recebido',
    offramp_pending: 'PIX em curso',
    settled: 'Pago',
    failed: 'Falhou',
    cancelled: 'Cancelado',
    expired: 'Expirado',
  },
  es: {
    awaiting_approval: 'Espera aprobación',
    approved: 'Aprobado, sin enviar',
    awaiting_buyer: 'Espera al comprador',
    buyer_kyc_pending: 'Verificando al comprador',
    buyer_kyc_approved: 'Comprador aprobado',
    fx_quoted: 'Precio mostrado',
    on_ramp_pending: 'Espera el importe',
    on_chain_confirmed: 'Importe recibido',
    offramp_pending: 'PIX en curso',
    settled: 'Pagado',
    failed: 'Falló',
    cancelled: 'Cancelado',
    expired: 'Caducado',
  },
};

const overdueTexts: Readonly<
  Record<Locale, { readonly pill: (days: number) => string; readonly was: (day: string) => string }>
> = {
  en: {
    pill: (days) => (days === 1 ? '1 day overdue' : `${days} days overdue`),
    was: (day) => `It was due on ${day}.`,
  },
  'pt-BR': {
    pill: (days) => (days === 1 ? '1 dia de atraso' : `${days} dias de atraso`),
    was: (day) => `Venceu em ${day}.`,
  },
  es: {
    pill: (days) => (days === 1 ? '1 día de retraso' : `${days} días de retraso`),
    was: (day) => `Venció el ${day}.`,
  },
};

/** A payment, with names as they are shown, and the zone in which it is overdue. */
export interface SituationSource {
  readonly view: Pick<ShownView, 'payment' | 'funds'>;
  readonly buyer: string;
  readonly payee: string;
  readonly timeZone: string;
  readonly nowMs: number;
}

/** Where a payment and its money are, in words. */
export function situationIn(
  locale: Locale,
  format: Format,
  { view, buyer, payee, timeZone, nowMs }: SituationSource,
) {
  const { payment } = view;
  const { status, settlement, settledAtMs, dueDate } = payment;
  const endsAtMs = endOf(payment);
  const situation = situationOf(view);
  const amounts = situationAmounts(view);
  const facts: SituationFacts = {
    buyer,
    payee,
    amount: format.money(amounts.amount),
    received: format.money(amounts.received),
    missing: format.money(amounts.missing),
    goesBack: amounts.goesBack.amountMinor === 0n ? '' : format.money(amounts.goesBack),
    wentBack: format.money(amounts.wentBack),
    settled: settlement === null ? null : format.money(settlement.settled),
    settledOn: settledAtMs === null ? null : format.day(settledAtMs),
    until: endsAtMs === null ? null : deadline(endsAtMs, nowMs, format.deadline(endsAtMs, nowMs)),
    status: statusTexts[locale][status],
  };
  const { what, next, pill } = situationTexts[locale][situation];
  const rule: SituationRule = situations[situation];
  const days = overdueDays(payment, dayOf(timeZone, nowMs));
  const isOverdue = days > 0 && dueDate !== null;
  const late = overdueTexts[locale];
  const exact = [pill?.(facts), isOverdue ? late.pill(days) : undefined];
  const due = isOverdue ? late.was(format.date(dueDate)) : '';
  return {
    situation,
    amounts,
    what: sentence(what(facts)),
    next: [due, sentence(next(facts))].filter((part) => part !== '').join(' '),
    /** The state in a few words, which say what differs from the status. */
    pill: {
      look: rule.look ?? (isOverdue ? 'warn' : status),
      text: exact.filter((part) => part !== undefined).join(', ') || facts.status,
    },
  };
}
