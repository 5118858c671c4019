// Spanish texts about prices, transfers, receipts and refunds.
import { sentence } from '../../kit/format.js';
import { prose } from '../../kit/frame-texts.js';
import type { MoneyCatalogue } from './en-money.js';

export const esMoney = {
  money: {
    heading: 'Su dinero',
    asked: 'Importe solicitado',
    received: 'Recibido de usted',
    receivedOn: (day) => prose`Recibido de usted el ${day}`,
    refunded: 'Devuelto a usted',
    goingBack: 'Por devolver a usted',
    review: 'En revisión',
    forPayee: (payee) => `Para ${payee}`,
  },
  route: {
    heading: 'Dónde está el dinero',
    withYou: 'con usted: aún no ha llegado nada',
    sent: (amount) => `envió ${amount}`,
    converts: (from) => `convierte ${from} a BRL`,
    holds: (amount) => `tiene ${amount}`,
    passedOn: 'lo ha transferido',
    waits: 'recibe cuando llegue todo',
    receives: 'recibe BRL',
    receivesAbout: (amount) => `recibe unos ${amount}`,
    receivesExactly: (amount) => `recibe ${amount}`,
    pix: 'está recibiendo por PIX',
    paidOut: (amount) => `recibió ${amount}`,
    returns: 'devuelve el dinero',
    banks: 'Bancos',
    onItsWay: (amount) => `${amount} en camino`,
    takesDays: 'hasta 5 días hábiles',
    backWithYou: (amount) => `${amount} de vuelta`,
  },
  price: {
    ask: (payee) => `Vea cuánto recibirá ${payee}`,
    askText: 'Sus datos están completos. Ahora pedimos una cotización, válida unos minutos.',
    show: 'Ver la cotización',
    heading: 'Revise y confirme',
    youPay: 'Usted paga',
    fees: 'Comisiones, incluidas',
    rate: 'Tipo de cambio',
    receives: (payee) => `${payee} recibe`,
    about: 'unos',
    before: (value) => `antes: ${value}`,
    indicative: (amount) =>
      'El importe final sigue el tipo de cambio al llegar su transferencia. Lo que usted paga ' +
      `sigue siendo ${amount}. Su banco puede cobrar por la transferencia.`,
    locked: 'El importe está garantizado. Su banco puede cobrar por la transferencia.',
    lockedUntil: {
      ahead: (when) => (
        <>
          El importe está garantizado si su transferencia llega antes del {when}. Su banco puede
          cobrar por la transferencia.
        </>
      ),
      over: (when) => (
        <>
          El importe estaba garantizado para transferencias hasta el {when}. Su banco puede cobrar
          por la transferencia.
        </>
      ),
    },
    confirm: (amount) => `Confirmar ${amount}`,
    confirmHint: 'Confirmar no mueve dinero. A continuación verá los datos bancarios.',
    until: (time) => prose`Esta cotización vale hasta las ${time}.`,
    after: 'Después, un clic trae una nueva.',
    payWithin: (days) =>
      `Los datos bancarios valen ${days} días. Lo que llegue después se devuelve.`,
    tooEarly: (days, day) => (
      <>
        Este pago vence el {day}: para pagar ese día, confirme en los {days} días anteriores.
      </>
    ),
    left: 'Quedan {time}.',
    left120: 'Quedan 2 minutos',
    left30: 'Quedan 30 segundos',
    over: 'Esta cotización venció',
    overNext: (when) =>
      prose`Venció el ${when}. Una nueva tarda un momento y no tiene que volver a escribir nada.`,
    overTodo: 'Pida una cotización nueva, después revísela y confírmela.',
    renew: 'Pedir otra cotización',
    changed: 'La cotización se actualizó',
    changedText: 'No se confirmó nada. Revise la nueva cotización y confírmela.',
    items: 'Conceptos y notas',
    lines: 'Conceptos',
    item: 'Descripción',
    unitPrice: 'Precio unitario',
    subtotal: 'Subtotal',
    total: 'Total',
    notes: 'Notas',
  },
  limit: {
    heading: 'Este importe no se puede pagar ahora',
    cause: {
      payment: (payee, left) =>
        left === null
          ? `Es más de lo que ${payee} puede recibir en un pago.`
          : `${payee} puede recibir como máximo ${left} en un pago.`,
      day: (payee, left) =>
        left === null
          ? `${payee} alcanzó un límite y hoy no puede recibir nada más.`
          : `${payee} tiene un límite diario y hoy puede recibir como máximo ${left} más.`,
      month: (payee, left) =>
        left === null
          ? `${payee} alcanzó un límite y este mes no puede recibir nada más.`
          : `${payee} tiene un límite mensual y este mes puede recibir como máximo ${left} más.`,
      unknown: (payee) => `El importe supera un límite de lo que ${payee} puede recibir.`,
      transfer: () => 'Según la norma de estos pagos, es más de lo que admite una transferencia.',
    },
    until: (when) => prose`Puede ser posible a partir del ${when}.`,
    next: 'Será posible si se amplía el límite. Esta solicitud sigue abierta.',
    wait: (org) => `Vuelva entonces o pida a ${org} un importe menor.`,
    ask: (org) => `Pida a ${org} un importe menor u otra forma de pagar.`,
  },
  purposes: {
    goods: 'Mercancías',
    services: 'Servicios',
    software_and_licenses: 'Software y licencias',
    royalties: 'Regalías',
    freight_and_logistics: 'Flete y logística',
    advertising: 'Publicidad',
    commissions: 'Comisiones',
    rentals: 'Alquileres',
    other: 'Otros',
  },
  together: {
    heading: (count) => `Pagar ${count} pagos con una sola transferencia`,
    lede: (payee) =>
      `Todos van a ${payee}. Confirme la cotización de cada uno: después recibe los datos ` +
      'bancarios, con una sola referencia.',
    receives: 'El beneficiario recibe',
    total: 'Total de la transferencia',
    order:
      'El dinero paga primero por completo el pago que vence antes, y después el siguiente. Si ' +
      'llega menos que el total, los últimos quedan abiertos.',
    isSent: 'Si ya envió dinero para uno de ellos, no lo elija.',
    accepted: 'Sin comisiones ni tipo de cambio: usted ya confirmó esa cotización.',
    pays: (count) => `Esta transferencia paga ${count} pagos`,
    remittance: 'Aviso de remesa',
    remittanceText: 'Un documento para esta transferencia, con todos los pagos y números.',
    remittancePrint: 'Imprimir el aviso',
    once:
      'Envíe el total una sola vez, con esta referencia. No haga una transferencia por cada ' +
      'pago.',
  },
  transfer: {
    preparing: 'Preparando los datos bancarios',
    preparingNext:
      'Estarán listos en unos segundos. Si cierra esta página antes, le avisamos por correo.',
    heading: (amount) => `Envíe ${amount} por transferencia bancaria`,
    nothing: 'Aún no ha llegado nada.',
    takes: 'Plazo',
    days: (from, to) => {
      if (to === 0) return 'el mismo día';
      const days = `${to} ${to === 1 ? 'día hábil' : 'días hábiles'}`;
      if (from === to) return days;
      return `${from === 0 ? 'hasta' : `de ${from} a`} ${days}`;
    },
    match: 'Copie estos datos exactamente',
    matchAmount: 'Copie el importe exactamente',
    referenceNote:
      'Ponga la referencia en el campo “referencia”, “concepto” o “mensaje al beneficiario”. Sin ' +
      'ella no sabemos que el dinero es suyo: espera hasta que una persona lo encuentre, o vuelve.',
    referenceHelps:
      'La propia cuenta muestra que el dinero es suyo. Si hay espacio, envíe también la ' +
      'referencia.',
    accounts: {
      us: 'Cuenta en EE. UU.',
      abroad: 'Cuenta para transferencias desde otros países',
      euros: 'Cuenta para transferencias en euros',
      uk: 'Cuenta en el Reino Unido',
      brazil: 'Cuenta en Brasil',
    },
    accountTypes: {
      checking: 'Cuenta corriente (checking)',
      savings: 'Cuenta de ahorros (savings)',
    },
    fields: {
      beneficiary: 'Titular de la cuenta',
      accountNumber: 'Número de cuenta',
      iban: 'IBAN',
      routingNumber: 'Routing number',
      bic: 'BIC (SWIFT)',
      accountType: 'Tipo de cuenta',
      bank: 'Banco',
      bankAddress: 'Dirección del banco',
      beneficiaryAddress: 'Dirección del titular',
      code: 'Código bancario (sort code)',
    },
    holder: (holder, payee) =>
      `La cuenta pertenece a ${holder}, que convierte su pago para el beneficiario. Es normal ` +
      `que ${payee} no sea el titular de la cuenta.`,
    scan: 'Escanear con la aplicación de su banco',
    scanLabel: 'Código QR con cuenta, importe y referencia',
    charges: 'Gastos',
    chargesOur: 'Elija “OUR”: los gastos van a su cargo y llega el importe completo.',
    newAccount: (payee) => (
      <>
        <b>Esta cuenta para {payee} es nueva.</b> Aún no ha pagado a esta cuenta.{' '}
        <a href="#check">Compruébela por teléfono</a> antes de pagar.
      </>
    ),
    sameAccount: (day, payee) => prose`Su pago a ${payee} del ${day} fue a esta misma cuenta.`,
    replaced: (changed, before, check) => (
      <>
        <b>Estos datos bancarios cambiaron el {changed}.</b> No use más los del {before}.{' '}
        <a href={check}>Compruebe los nuevos por teléfono</a> antes de pagar.
      </>
    ),
    check: '¿Es correcta esta cuenta?',
    checkText: (payee) =>
      `Llame a ${payee} a un número que usted ya tenga, no a uno que venga en un correo. Pida ` +
      'que le lean este código.',
    checkCode: 'Código de comprobación',
    address: 'Dirección de esta página',
    shortId: 'Identificador corto de esta página',
    checkOther: 'Comprobar código o cuenta',
    given: (when) => prose`Comunicados el ${when}.`,
    changes: 'Si alguna vez cambian, esta página lo dice y le avisamos por correo.',
    sentAlready: '¿Ya lo envió?',
    sentText: (
      <>
        No tiene que hacer nada más. Le escribimos cuando llegue. <b>No vuelva a pagar</b> si tarda
        unos días.
      </>
    ),
    payBy: {
      ahead: (day) => (
        <>Envíelo de modo que llegue a más tardar el {day}: lo que llegue después se devuelve.</>
      ),
      over: (day) =>
        prose`Debía llegar a más tardar el ${day}. No lo envíe ahora: lo que llegue se devuelve.`,
    },
    invoiceDue: {
      ahead: (day) => prose`La factura vence el ${day}.`,
      over: (day) => prose`La factura venció el ${day}.`,
    },
    firstDue: {
      ahead: (day) => prose`El primero de estos pagos vence el ${day}.`,
      over: (day) => prose`El primero de estos pagos venció el ${day}.`,
    },
    print: 'Imprimir estos datos',
    late: (org) =>
      'Su transferencia no llegó, aunque ya debería haber llegado. Si la envió, pregunte a su ' +
      `banco dónde está y avise a ${org}. Si no la envió, todavía puede hacerlo.`,
    details: 'Datos bancarios',
    printedFor: (payee) => sentence(`Para su pago a ${payee}.`),
  },
  late: 'Está tardando más de lo habitual. Lo estamos revisando y le avisamos por correo.',
  held: {
    heading: 'Su transferencia está en revisión',
    lede: 'Su dinero llegó. Nuestro proveedor de liquidación lo revisa antes de confirmarlo.',
    money: (partner) => `${partner} tiene su transferencia.`,
    next: (payee) =>
      `Al terminar la revisión pagamos a ${payee} y le avisamos por correo. Puede tardar hasta ` +
      '30 días.',
  },
  short: {
    heading: (amount) => `Aún falta recibir ${amount}`,
    received: (amount) => `Recibimos ${amount}.`,
    receivedOn: (amount, day) => prose`Recibimos ${amount} el ${day}.`,
    next: (amount, payee) =>
      `Cuando llegue el resto, ${amount}, pagamos a ${payee} y le avisamos por correo.`,
    by: {
      ahead: (when) => prose`Si no llega a más tardar el ${when}, lo devolvemos todo.`,
      over: (when) => prose`Debía llegar a más tardar el ${when}: lo devolvemos todo.`,
    },
    todo: (amount) =>
      `Envíe ${amount}, o pida que se lo devolvamos todo. No envíe otra vez el importe completo.`,
    rest: 'Envíe exactamente lo que falta',
    referenceAsBefore: 'Referencia, la misma de antes',
    sameAccount: (ending) => `A la misma cuenta, terminada en ${ending}.`,
    sameAccountPlain: 'A la misma cuenta.',
    showDetails: 'Ver los datos bancarios',
    our:
      'Elija “OUR” para los gastos: casi siempre fue un banco intermediario el que descontó la ' +
      'diferencia.',
    back: 'O recupérelo todo',
    backText: (amount) => `Si prefiere no pagar, devolvemos ${amount} a la cuenta de origen.`,
    backAsk: (amount) => `Pedir que devuelvan ${amount}`,
    confirm: (amount) => `¿Recuperar ${amount}?`,
    confirmLede: (payee) => `Esto termina el pago. ${payee} no cobra.`,
    confirmNext: (amount) =>
      `Devolvemos ${amount} a la cuenta de origen. Los bancos tardan hasta 5 días hábiles.`,
    confirmTodo: 'No se puede deshacer. No envíe más dinero con estos datos bancarios.',
    confirmYes: (amount) => `Sí, devolver ${amount}`,
    confirmNo: 'No, mantener el pago',
  },
  arrived: {
    heading: 'Su dinero ha llegado',
    lede: (amount, payee) => sentence(`Tenemos ${amount} para ${payee}.`),
    surplus: (received, surplus) => `Recibimos ${received}. Le devolvemos ${surplus}.`,
    next: (payee) => `Pagamos a ${payee} en BRL. El recibo llega por correo.`,
    onItsWay: (payee) => `En camino a ${payee}`,
    onItsWayLede: 'El importe en reales se está pagando por PIX.',
    onItsWayNext: 'PIX tarda minutos, rara vez algunas horas. El recibo llega por correo.',
    withPayee: (amount, payee) =>
      sentence(`Sus ${amount} se convirtieron y están en camino a ${payee}.`),
  },
  paid: {
    lede: (payee, amount, day) => prose`${payee} recibió ${amount} el ${day}.`,
    receipt: 'Recibo',
    youPaid: 'Usted pagó',
    paidOut: 'Importe abonado',
    payer: 'Pagador',
    sentBy: 'Enviado por',
    purpose: 'Finalidad',
    taxId: (id) => `Identificación fiscal ${id}`,
    cnpj: (last4) => `CNPJ terminado en ${last4}`,
    method: 'Medio de pago',
    bankTransfer: (name) =>
      name === null ? 'Transferencia bancaria' : `Transferencia bancaria (${name})`,
    reference: 'Referencia de la transferencia',
    partOf: 'Parte de una sola transferencia de',
    paidWithIt: (others) => `También pagó ${others}.`,
    receivedAt: 'Transferencia recibida',
    paidOutAt: 'Fecha de abono',
    brasilia: (time) => `${time} en Brasilia`,
    endToEndId: 'Identificador de PIX (end-to-end)',
    asset: 'Criptomoneda estable vendida',
    transaction: 'Transacción',
    notTax: (payee) =>
      sentence(`Esto es un recibo, no un documento fiscal. La factura es de ${payee}.`),
    returnTo: (host) => `Volver a ${host}`,
    returning: (host) => `Volvemos a ${host} en 10 segundos.`,
    stay: 'Quedarme aquí',
  },
  ended: {
    rejected: 'No podemos aceptar este pago',
    failed: 'El pago no se completó',
    failedMoney: 'No hemos retenido ningún importe.',
    failedTodo: (payee) =>
      `No envíe dinero con estos datos bancarios. Pregunte a ${payee} cómo pagar.`,
    review: 'Estamos revisando su pago',
    reviewLede: (amount) =>
      `Recibimos ${amount} de usted. El último paso no está confirmado. Nuestro equipo lo está ` +
      'revisando.',
    reviewLedePlain: 'El último paso no está confirmado. Nuestro equipo lo está revisando.',
    reviewMoney: (payee) =>
      `Lo recibimos. Estamos preguntando al banco si el último paso llegó a ${payee}.`,
    reviewMoneyPlain: 'Estamos preguntando al banco cómo terminó el último paso.',
    reviewNext: 'Nuestro equipo confirma dónde está el dinero y después lo paga o se lo devuelve.',
    backLede: (payee) => `El pago a ${payee} nos fue devuelto. Nuestro equipo lo está revisando.`,
    backMoney: (payee) => `Lo recibimos, pero el pago a ${payee} nos fue devuelto.`,
    backNext: (payee) => `Decidimos con ${payee} qué pasa con el dinero.`,
    answerBy: {
      ahead: (day) => prose`Le respondemos a más tardar el ${day}.`,
      over: (day) =>
        prose`Queríamos responderle a más tardar el ${day} y aún lo estamos revisando.`,
    },
    reviewMail: 'Le avisamos por correo en cuanto lo sepamos.',
    unapprovedLede: 'Se retiró su verificación, por lo que no podemos continuar con este pago.',
    unapprovedNext:
      'Nuestro equipo lo revisa. Sin una nueva verificación, el dinero que envió se le devuelve.',
    unapprovedTodo: 'No envíe dinero con estos datos bancarios.',
    cancelled: (payee) => `${payee} canceló esta solicitud`,
    expired: 'Esta solicitud ya no está abierta',
    expiredNext: 'Si hay una transferencia en camino, se devuelve.',
    expiredTodo: (payee) => `Si aún quiere pagar, pida a ${payee} una nueva solicitud.`,
    endedOn: (when) => prose`Terminó el ${when}.`,
  },
  refund: {
    heading: 'Le estamos devolviendo su dinero',
    cause: {
      cancelled: 'La solicitud fue cancelada.',
      expired: 'La solicitud ya había terminado cuando llegó su transferencia.',
      failed: 'No se pudo completar el pago.',
    },
    money: (amount) => `Le estamos devolviendo ${amount}.`,
    owed: (amount) => `Le vamos a devolver ${amount}.`,
    ordered: (day) => prose`Ordenado el ${day}; los bancos tardan hasta 5 días hábiles.`,
    orderedPlain: 'La devolución está ordenada; los bancos tardan hasta 5 días hábiles.',
    ordering: 'Estamos ordenando la devolución; después los bancos tardan hasta 5 días hábiles.',
    sameAccount: 'Llega a la cuenta desde la que usted pagó.',
    done: 'Su dinero fue devuelto',
    doneLede: (amount) => `${amount} volvieron a la cuenta desde la que usted pagó.`,
    doneOn: (amount, day) =>
      prose`${amount} volvieron el ${day} a la cuenta desde la que usted pagó.`,
    doneTodo: (org) =>
      `Si su banco no lo muestra en 5 días hábiles, pregunte a ${org} e indique la referencia.`,
    review: 'Necesitamos un momento para devolver su dinero',
    reviewMoney: (amount) => `Le debemos ${amount}.`,
    reviewNext: 'La devolución no se completó. Nuestro equipo lo revisa y se pondrá en contacto.',
  },
} satisfies MoneyCatalogue;
