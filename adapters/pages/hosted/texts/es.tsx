// Spanish texts of the hosted pages, in the formal address.
import { frameTexts, prose } from '../../kit/frame-texts.js';
import { emailTexts } from '../../kit/pages/email-texts.js';
import type { Catalogue } from './en.js';
import { esMoney } from './es-money.js';

export const es = {
  ...esMoney,
  frame: {
    ...frameTexts.es,
    pageBy: 'Página de pago de',
    testBar: 'No se mueve dinero real.',
    testAccount: 'Esta es una cuenta de prueba: no le envíe nada.',
    title: (heading, payee) => `${heading} – Pagar a ${payee}`,
    progress: 'Progreso',
    done: 'hecho: ',
    thisPayment: 'Este pago',
    to: 'Para',
    purpose: 'Concepto',
    logo: (name) => `Logo de ${name}`,
    vendorPapersFile: 'Descargar todos (ZIP)',
    vendorPapersNote:
      'Formulario fiscal, cartas y registro para su expediente del proveedor, tal como los ' +
      'subieron sus titulares.',
    purchaseOrder: 'Orden de compra',
    buyerReference: 'Su referencia',
    help: 'Ayuda',
    helpText: (org, reference) =>
      prose`¿Preguntas sobre este pago? Consulte a ${org} e indique la referencia ${reference}.`,
    helpForm: (org) => `Consulte a ${org} si tiene preguntas sobre esta página.`,
    neverMailed: 'Nunca enviamos datos bancarios por correo.',
    verify: 'Comprobar datos bancarios',
    privacy: 'Privacidad',
    terms: 'Condiciones de uso',
    downloadPdf: 'Descargar en PDF',
    printOrSave: 'Imprimir o guardar en PDF',
    sessionEnds: 'Su sesión termina en 2 minutos.',
    stay: 'Seguir conectado',
    you: 'Usted',
    partner: 'Proveedor de liquidación',
    or: (items) => new Intl.ListFormat('es', { type: 'disjunction' }).format(items),
  },
  files: {
    receipt: 'recibo',
    instructions: 'datos-bancarios',
    remittance: 'aviso-de-remesa',
    deadline: 'fecha-limite',
    deadlineTitle: (amount, payee) => `${amount} para ${payee}: último día para que llegue`,
    deadlineText: (reference, page) =>
      `Referencia ${reference}. Los datos bancarios están en la página: ${page}`,
    addDeadline: 'Agregar al calendario',
  },
  share: {
    link: 'Enviar a un colega',
    heading: 'Mostrar los datos bancarios a un colega',
    lede:
      'Quien tiene el enlace ve el importe, la referencia y los datos bancarios de este pago, y ' +
      'no puede cambiar nada. Funciona hasta que el pago termina, durante 14 días como máximo.',
    make: 'Crear un enlace',
    made: 'Envíe este enlace a su colega',
    madeText: 'Solo se muestra aquí, una vez.',
    url: 'Enlace para enviar',
    list: 'Enlaces abiertos',
    none: 'No hay enlaces abiertos.',
    seen: 'Abierto por última vez',
    never: 'aún no',
    until: 'Funciona hasta',
    end: 'Terminar este enlace',
    full: 'Puede haber 5 enlaces abiertos como máximo. Termine uno antes.',
  },
  approval: {
    link: 'Pedir antes la aprobación de un colega',
    heading: 'Pida a un colega que apruebe este pago',
    lede:
      'Enviamos por correo a su colega un enlace que muestra el beneficiario, el importe y los ' +
      'conceptos. La cotización solo se puede confirmar después de su aprobación.',
    stays:
      'No se puede deshacer en este pago. Puede pedirlo a otra persona, pero nadie lo confirma ' +
      'sin una aprobación.',
    email: 'Correo electrónico de su colega',
    problems: { ...emailTexts.es, own: 'Es su propia dirección. Otra persona debe aprobar.' },
    send: 'Pedir la aprobación',
    again: 'Pedirlo de nuevo, o a otra persona',
    waits: (who, when) => prose`${who} aún no aprobó este pago. Usted lo pidió el ${when}.`,
    waitsText:
      'Con la aprobación puede confirmar la cotización. Le avisamos por correo de la decisión.',
    by: 'Aprobado por',
    given: (who, when) => prose`${who} aprobó este pago el ${when}.`,
    declined: (who, when) => prose`${who} rechazó este pago el ${when}.`,
    declinedText: 'Sin una aprobación, usted no puede confirmarlo.',
    reason: (reason) => prose`El motivo: ${reason}`,
    colleague: 'su colega',
    sendHint:
      'Llega a la dirección que indicó su colega. Los conceptos se muestran después de entrar.',
    decide: (payee) => `¿Aprobar el pago a ${payee}?`,
    asks: (buyer) => `${buyer} quiere pagar y pide antes su aprobación.`,
    rule: (amount, payee) =>
      `Lo que se paga sigue siendo ${amount}, con las comisiones incluidas. Cuánto recibe ` +
      `${payee} en BRL depende del tipo de cambio: su colega confirma la cotización después de ` +
      'su aprobación.',
    approve: (amount) => `Aprobar ${amount}`,
    approveHint: 'Aprobar no paga nada. Su colega confirma y hace la transferencia.',
    decline: 'Rechazarlo',
    why: '¿Por qué lo rechaza?',
    whyHint: 'Su colega ve el texto. 500 caracteres como máximo.',
    refused: 'Escriba el motivo en 500 caracteres como máximo.',
    declineIt: 'Rechazar este pago',
    didApprove: 'Usted aprobó este pago',
    didDecline: 'Usted rechazó este pago',
    didText: (buyer) => `Avisamos a ${buyer}. No tiene que hacer nada más.`,
    over: 'Este pago ya no necesita aprobación',
    overText: 'Terminó, o su cotización ya no está abierta.',
  },
  question: {
    link: 'Hacer una pregunta',
    heading: 'Pregunte sobre este pago',
    lede: (org, email) => `Llega a ${org} por correo, y la respuesta a ${email}.`,
    label: 'Su pregunta',
    hint: '500 caracteres como máximo. No envíe datos bancarios ni documentos.',
    refused: 'Escriba su pregunta en 500 caracteres como máximo.',
    send: 'Enviar la pregunta',
  },
  payments: {
    all: 'Todos mis pagos',
    open: (count) => `Tiene ${count} pagos abiertos`,
    heading: (org, period) => `Sus pagos con ${org} en ${period}`,
    none: 'No hay pagos en este período.',
    newest: 'Estos son los más recientes de este período. El archivo los contiene todos.',
    period: 'Período de los pagos',
    show: 'Ver',
    created: 'Solicitado el',
    states: { open: 'Abierto', over: 'Cerrado' },
    currency: 'Moneda',
    taxId: 'Identificación fiscal del beneficiario',
    csv: 'Descargar en CSV',
    file: 'pagos',
    choose: (payment) => `Elegir ${payment}`,
    chooseHint:
      'Puede pagar varios pagos abiertos con una sola transferencia: elija dos o más para el ' +
      'mismo beneficiario y en la misma moneda.',
    chooseAll: (count) => `Elegir los ${count} del mismo beneficiario.`,
    unopened: (count) =>
      `${count === 1 ? 'Un pago espera' : `${count} pagos esperan`} que entre. Podemos ` +
      'pedirle el código de nuestro correo.',
    openAll: 'Entrar en todos',
    someNotTogether:
      'Un pago sin casilla no se puede pagar así: falta la verificación o aprobación, el ' +
      'dinero está en camino o llegó, o el beneficiario o la moneda es otra.',
    notTogether:
      'No se pueden pagar con una sola transferencia: pague cada uno con sus propios datos.',
    payChosen: 'Pagar los elegidos con una sola transferencia',
  },
  journey: {
    signIn: 'Acceso',
    payer: 'Quién paga',
    price: 'Cotización',
    transfer: 'Transferencia',
    paid: 'Pagado',
  },
  answers: {
    money: '¿Dónde está mi dinero?',
    next: '¿Qué pasa ahora?',
    todo: '¿Qué debo hacer, o no hacer?',
    ask: '¿A quién pregunto?',
    org: (org, reference) => prose`${org}, referencia ${reference}`,
    nothing: 'Usted no ha pagado nada.',
    nothingYet: 'Usted aún no ha pagado nada.',
    received: (amount, partner) => `${partner} tiene ${amount} que usted envió.`,
    closed: 'Este pago está cerrado. Aquí no ocurre nada más.',
    mailed: 'Le avisamos por correo cuando termine.',
    doNothing: 'No tiene que hacer nada. Puede cerrar esta página.',
    notYet:
      'No envíe dinero todavía: aún no tiene datos bancarios, y los que le lleguen por correo no ' +
      'son nuestros.',
    notAgain: 'No vuelva a pagar.',
    notOldDetails: 'No use más los datos bancarios anteriores.',
    otherWay: (payee) => `Pida a ${payee} otra forma de pagar.`,
    arrives: 'Si envió dinero, se le devuelve.',
  },
  ask: {
    heading: (payee) => `${payee} le solicita el pago de`,
    over: (payee) => `Pago a ${payee}:`,
    send: 'Enviarme un enlace de acceso',
    sendHint: (org) =>
      `Va al correo que ${org} tiene de usted. Solo después de acceder mostramos los conceptos y ` +
      'los datos bancarios.',
    closed: 'Esta solicitud está cerrada. No hay nada que pagar.',
    paidHint: 'Acceda para ver el estado de este pago y su recibo.',
    how: 'Cómo funciona',
    steps: [
      <>
        <b>Acceda</b> con el enlace de su correo. Sin contraseña.{' '}
        <span class="quiet">1 minuto</span>
      </>,
      <>
        <b>Díganos quién paga.</b> La ley lo exige, solo la primera vez.{' '}
        <span class="quiet">Unos 10 minutos</span>
      </>,
      <>
        <b>Revise la cotización</b> y vea cuánto recibe el beneficiario.{' '}
        <span class="quiet">1 minuto</span>
      </>,
      <>
        <b>Haga una transferencia</b> desde su propio banco.{' '}
        <span class="quiet">Tarda de 1 a 5 días hábiles en llegar</span>
      </>,
    ],
    who: (org) => `¿Quién es ${org}?`,
    whoText: (org, payee) =>
      org === payee
        ? `${org} cobra este pago por medio de Ponte.`
        : `${org} cobra este pago para ${payee} por medio de Ponte.`,
  },
  sent: {
    heading: 'Revise su correo',
    lede: (org) =>
      `Un enlace va en camino al correo que ${org} tiene de usted. Funciona al menos 15 minutos.`,
    noMail: '¿No le llegó el correo?',
    spam: 'Mire en la carpeta de correo no deseado.',
    wait: 'Pida otro. Si es demasiado pronto, esta página le dirá cuándo puede.',
    address: (org) => `Pregunte a ${org} qué dirección tiene de usted. Aquí no podemos cambiarla.`,
    again: 'Enviar otro enlace',
  },
  enter: {
    heading: (email) => `¿Continuar como ${email}?`,
    request: (payee, amount, org) =>
      prose`Va a abrir una solicitud de ${payee} por ${amount}. Se la envió ${org} a usted.`,
    approval: (payee, amount) =>
      prose`Va a abrir un pago a ${payee} por ${amount}. Un colega le pide que lo apruebe.`,
    form: (org) => `Va a abrir un formulario que ${org} le pide completar: dice quién es usted.`,
    notYou: (
      <>
        <b>¿No es usted?</b> Cierre esta página, no ocurre nada. Nadie accede hasta que usted
        presione Continuar.
      </>
    ),
  },
  linkEnded: {
    lede: 'No se ha pagado ni cambiado nada.',
    sendTo: (email) => `Enviar un enlace nuevo a ${email}`,
    send: 'Enviar un enlace nuevo',
    money: 'Usted no ha pagado nada con este enlace.',
    used: (when) => prose`Se abrió el ${when}. Cada enlace funciona una vez.`,
    over: (when) => prose`Venció el ${when}.`,
    unknown: 'Quizá uno más reciente lo sustituyó, o se perdió una parte por el camino.',
    next: 'Uno nuevo llega en un minuto y funciona al menos 15 minutos.',
    notYou: (org) =>
      `Si no fue usted quien lo abrió, avise a ${org} cuanto antes. Si fue usted, pida otro.`,
    todo: 'Pida un enlace nuevo. No tiene que empezar de nuevo.',
  },
  kyc: {
    heading: 'Díganos quién paga',
    lede: 'Lleva unos 10 minutos, solo la primera vez.',
    why: 'Por qué lo preguntamos',
    whyText:
      'La ley exige que nosotros y nuestro proveedor de liquidación sepamos quién paga y ' +
      'de quién es el pagador. El proveedor revisa lo que usted envía. Después, los archivos ' +
      'se borran.',
    hand: 'Tenga a mano',
    company: 'Para una empresa',
    companyList: [
      'Su número de registro y la fecha de constitución',
      'Un documento de constitución y otro que muestre quiénes son los propietarios',
      'De cada propietario del 25 % o más, y de una persona que dirija la empresa: pasaporte, ' +
        'foto de la cara, comprobante de domicilio',
    ],
    person: 'Para una persona',
    personList: ['Su pasaporte o documento de identidad', 'Una foto de su cara'],
    notAlone:
      'No necesita tenerlo todo: los propietarios pueden añadir sus documentos con un enlace, y ' +
      'usted nunca los ve.',
    saved: 'Cada paso se guarda. Puede parar y volver después.',
    start: 'Empezar',
    resume: 'Seguir con el formulario',
    facts: {
      heading: '¿Ya le verificaron antes?',
      lede:
        'Su identidad se verificó para un pago anterior. Confirme dos datos de ella y no ' +
        'hará falta otra verificación.',
      born: 'Fecha de nacimiento, o de constitución de la empresa',
      bornHint: 'Año, mes, día: 1990-01-31.',
      number: 'Número fiscal, o número del documento de identidad',
      numberHint: 'Como se indicó en la verificación anterior.',
      send: 'Confirmar los datos',
    },
    wait: 'Estamos verificando sus datos',
    usual: (hours) =>
      hours === 1
        ? 'La mayoría de las verificaciones tarda menos de 1 hora.'
        : `La mayoría de las verificaciones tarda menos de ${hours} horas.`,
    waitMail: (email) =>
      prose`Avisamos a ${email} cuando termine, si esta página no lo muestra antes.`,
    thenPrice: 'Después verá la cotización.',
    sentOn: (when) => prose`Enviado el ${when}.`,
    correct: (count) => (count === 1 ? 'Corrija una cosa' : `Corrija ${count} cosas`),
    correctAll: 'Corrija sus datos',
    correctNext: 'Cuando haya enviado las correcciones, la verificación continúa.',
    correctBy: {
      ahead: (when) => prose`Envíelas a más tardar el ${when}.`,
      over: (when) => prose`El plazo era el ${when}. Envíelas ahora.`,
    },
    correctTodo: 'Corrija solo lo que aparece aquí. Todo lo demás se conserva.',
    correctStart: 'Corregir ahora',
    approved: 'Sus datos están completos',
    approvedText: 'No hace falta nada más. Ya puede cerrar la página.',
    rejected: 'No podemos aceptar sus datos',
    rejectedText: (org) => `Pregunte a ${org} qué hacer.`,
    alone: 'Díganos quién es usted',
    closed: 'La verificación terminó.',
    noMoney: 'Este formulario no trata de un pago.',
  },
  stopChange: {
    stop: 'Detener el cambio',
    held: {
      heading: '¿Detener el cambio del destino PIX?',
      text: 'Nada se pagará al nuevo. Aquí no se puede deshacer.',
    },
    stopped: {
      heading: 'El cambio fue detenido',
      text: 'Nada se paga al nuevo destino PIX. Averigüe quién lo registró.',
    },
    effective: {
      heading: 'Ya no se puede detener este cambio',
      text: 'Los pagos nuevos van al destino nuevo. ¿Es incorrecto? Llame a la empresa que cobra.',
    },
    replaced: {
      heading: 'Un cambio posterior reemplazó este',
      text: '¿También es incorrecto? Abra el enlace del correo sobre el cambio posterior.',
    },
  },
  verify: {
    over: 'Pero su pago ya no espera dinero. No envíe nada a esa cuenta ahora.',
    lede: '¿Dimos nosotros estos datos bancarios? Compare antes de pagar.',
    page: 'Página de pago',
    pageHint: 'Su dirección, o el identificador corto junto al código de comprobación.',
    value: 'Código de comprobación o número de cuenta',
    valueHint: 'Como en la página o en papel, por ejemplo 7KQ4-M2XD.',
    check: 'Comprobar',
    ours: (when) => prose`Estos son los datos que dimos el ${when}.`,
    never: (
      <>
        <b>Nunca dimos estos datos.</b> No pague. Llame a la empresa a la que quiere pagar, a un
        número que usted ya tenga.
      </>
    ),
    incompletePage: 'Escriba la dirección de la página de pago o su identificador corto.',
    incompleteValue: 'Escriba el código de comprobación o el número de cuenta.',
  },
  problem: {
    not_found: {
      heading: 'Página no encontrada',
      text:
        'Revise la dirección, o abra de nuevo el enlace de su correo. La empresa que le solicitó ' +
        'el pago puede enviarle uno nuevo.',
    },
    too_many: {
      heading: 'Demasiados intentos',
      text: 'Espere unos minutos y vuelva a intentarlo. No se ha cambiado nada.',
    },
    session_over: {
      heading: 'Su sesión ha terminado',
      text: 'Lo que guardó se conserva. Abra la página de nuevo para recibir un enlace de acceso.',
    },
    forbidden: {
      heading: 'No se aceptó esta petición',
      text: 'No vino de esta página, así que no cambió nada. Inténtelo de nuevo desde aquí.',
    },
    out_of_order: {
      heading: 'Algo falló de nuestro lado',
      text: 'No sabemos si su último paso contó. La página lo muestra: ábrala de nuevo.',
    },
    open: 'Abrir la página',
  },
  notice: {
    out_of_date: (
      <>
        <b>Esta página no estaba al día.</b> No se ha cambiado nada. Este es el estado actual.
      </>
    ),
    signed_out: (
      <>
        <b>Su sesión terminó.</b> Entre de nuevo y volverá a su página.
      </>
    ),
    no_cookies: (
      <>
        <b>Su navegador no nos envió ninguna cookie.</b> Si las bloquea, permítalas en este sitio:
        hacen falta para entrar. Después abra otra vez el enlace del correo o pida otro.
      </>
    ),
    unsaved: (
      <>
        <b>Su sesión terminó antes de enviarse la última página.</b> Lo que escribió en ella no se
        guardó; todo lo anterior sí. Entre de nuevo y volverá a ella.
      </>
    ),
    code_wrong: 'Este código no es correcto. Revise los seis dígitos e inténtelo de nuevo.',
    code_expired: 'Este código ya no funciona. Envíe otro enlace.',
    together_too_much:
      'Juntos superan lo que puede tener una transferencia. Elija menos o páguelos uno por uno.',
    choose_together:
      'Elija dos o más pagos abiertos para el mismo beneficiario y en la misma moneda.',
    quote_unavailable: 'No pudimos obtener una cotización ahora. Inténtelo en un momento.',
    take_back_asked: 'Le devolvemos su dinero. Usted no tiene que hacer nada más.',
    question_sent: 'Su pregunta está en camino. La respuesta llega por correo.',
    facts_wrong:
      'Estos datos no coinciden con los que tenemos. Complete el formulario, o ' +
      'inténtelo de nuevo si la página lo pide.',
  },
  limited: {
    link_sent: (until, sentAt) => (
      <>
        <b>Se envió un enlace por correo ({sentAt}).</b> Abra el correo más reciente: su enlace
        también funciona en este navegador. Puede pedir otro a partir de: {until}.
      </>
    ),
    mail_too_soon: (until) => (
      <>
        <b>No se envió ningún correo,</b> porque se pidieron muchos. Pida otro a partir de: {until}.
      </>
    ),
    code_too_often: (until) => (
      <>
        <b>Se probaron demasiados códigos.</b> Abra el enlace del correo, o escriba un código a
        partir de: {until}.
      </>
    ),
    tryAgain: (until) => prose`No se ha cambiado nada. Vuelva a intentarlo a partir de: ${until}.`,
  },
  simulate: {
    heading: 'Simular (solo en modo de prueba)',
    groups: {
      identity: 'Identidad',
      quote: 'Cambio simulado',
      money: 'Dinero',
      payout: 'Pago final y devolución',
    },
    events: {
      identity_sent: 'Completar y enviar datos ficticios',
      identity_approved: 'Aprobar',
      identity_rejected: 'Rechazar',
      identity_documents_again: 'Pedir de nuevo el pasaporte',
      identity_pending: 'Dejar en espera',
      quote_expired: 'Dejar vencer',
      rate_moved: 'Mover el cambio',
      rate_locked: 'Fijar el cambio',
      money_arrives: 'Llega',
      money_from_other: 'Desde otro nombre',
      money_short: 'Falta 1,00',
      money_top_up: 'Llega lo que falta',
      money_over: 'Llega de más',
      money_twice: 'Llega dos veces',
      money_unmatched: 'Llega sin referencia',
      money_fails: 'No llega',
      money_late: 'Llega después del final',
      payout_completes: 'El PIX se completa',
      payout_fails: 'El PIX falla y el dinero no vuelve',
      payout_returns: 'El PIX vuelve',
      refund_completes: 'La devolución se completa',
      refund_fails: 'La devolución falla',
    },
  },
} satisfies Catalogue;
