// The sentences of mails in Spanish. They use the formal address, as banks do.
import type { LetterCatalogue } from './letter-texts.js';
import { roleNames } from './role-names.js';
import { situationDeadlines } from './situation-texts.js';

const roles = roleNames.es;
const { rest: restBy } = situationDeadlines.es;

const paidNothing = 'Usted no ha pagado nada.';
const closed = 'Esta solicitud está cerrada.';
const tooMuch = (surplus: string) => `Usted envió ${surplus} de más. Se le devolverán.`;

const keepOld = ' Los pagos creados antes mantienen el anterior.';

export const lettersEs = {
  payment: {
    invitation: ({ payee, amount, invoices: list }) =>
      list === null
        ? {
            subject: `${payee} le solicita el pago de ${amount}`,
            heading: `${payee} le solicita el pago de`,
            amount,
            paragraphs: ['La página muestra el motivo y cómo pagar por transferencia bancaria.'],
          }
        : {
            subject: `${list.payee} le solicita el pago de ${list.count} facturas`,
            amount: list.total,
            paragraphs: [
              'Un solo acceso las abre todas. La página muestra a qué corresponde cada una y ' +
                'cómo pagar por transferencia bancaria.',
            ],
          },
    sign_in: ({ payee, amount }) => ({
      subject: `Su enlace para pagar a ${payee}`,
      heading: `${payee} le solicita el pago de`,
      amount,
    }),
    kyc_approved: ({ payee }) => [
      `Ya puede pagar a ${payee}`,
      'Sus datos están aprobados',
      'Usted aún no ha pagado nada.',
      'Abra la página para revisar la cotización y recibir los datos bancarios.',
    ],
    kyc_more: () => ({
      subject: 'Corrija sus datos',
      answers: [
        'Usted aún no ha pagado nada.',
        'La verificación sigue cuando usted los envíe de nuevo.',
        'Abra la página. Muestra qué corregir y por qué.',
      ],
    }),
    kyc_rejected: ({ payee }) => ({
      subject: `No podemos aceptar el pago a ${payee}`,
      heading: 'No podemos aceptar este pago',
      answers: [
        `${paidNothing} Si envió dinero, se le devolverá.`,
        closed,
        `Pida a ${payee} otra forma de pago.`,
      ],
    }),
    approval_given: ({ payee, approver }) => [
      `Ya puede confirmar el pago a ${payee}`,
      'El pago está aprobado',
      `${approver} aprobó el pago. Usted aún no ha pagado nada.`,
      'Abra la página para confirmar la cotización y recibir los datos bancarios.',
    ],
    approval_declined: ({ payee, approver, declineReason }) => [
      `En su empresa no se aprobó el pago a ${payee}`,
      'El pago no se aprobó',
      `${approver} rechazó el pago. Usted no ha pagado nada y no puede confirmarlo.`,
      ...(declineReason === null ? [] : [`El motivo: ${declineReason}`]),
      'En la página puede pedirlo de nuevo, o pedirlo a otra persona.',
    ],
    instructions_ready: ({ payee, missing, isReplacement }) =>
      isReplacement
        ? [
            `Los datos bancarios para ${payee} cambiaron`,
            'Los datos bancarios cambiaron',
            `No use los anteriores. Abra la página para ver adónde enviar ${missing}.`,
            `Antes de pagar, llame a ${payee} a un número que usted ya tenga, no a uno de ` +
              'un correo. Pida que le lean el código de comprobación de los nuevos datos y ' +
              'compárelo con el de la página.',
            'Los datos que le llegaron por otro medio se comparan en “Comprobar datos ' +
              'bancarios” en la página.',
          ]
        : [
            `Ya puede enviar el dinero para ${payee}`,
            'Los datos bancarios están listos',
            `Abra la página para ver adónde enviar ${missing}.`,
          ],
    money_short: ({ payee, amount, received, missing, payBy }) => ({
      subject: `Aún falta recibir ${missing}`,
      heading: 'Aún falta recibir',
      amount: missing,
      answers: [
        `Recibimos ${received} de ${amount}.`,
        `Pagamos a ${payee} cuando llegue el importe completo.` +
          (payBy === null ? '' : ` ${payBy(restBy)}`),
        `Envíe exactamente ${missing} con la misma referencia. O pida en la página que se le ` +
          'devuelva todo.',
      ],
    }),
    money_received: ({ payee, amount, surplus }) => ({
      subject: 'Su dinero ha llegado',
      paragraphs: [
        `Tenemos ${amount} para ${payee}.`,
        ...(surplus === null ? [] : [tooMuch(surplus)]),
        'No tiene que hacer nada. El recibo llega por correo.',
      ],
    }),
    reminder: ({ payee, amount, due, received, missing, isPart }) => ({
      subject: `Vence el ${due}: ${missing} para ${payee}`,
      heading: isPart ? `Aún falta para ${payee}:` : `Recordatorio de la solicitud de ${payee}:`,
      amount: missing,
      paragraphs: [
        isPart
          ? `${amount} vence el ${due}; llegó ${received}. Una transferencia tarda días.`
          : `Vence el ${due} y aún no ha llegado dinero. Una transferencia tarda días.`,
        '¿Ya la hizo? Entonces no tiene que hacer nada.',
      ],
    }),
    receipt: ({ payee, amount, settled, surplus, hasReceipt }) => ({
      subject: `Pagado: ${amount} a ${payee}`,
      heading: `${payee} recibió`,
      amount: settled ?? amount,
      paragraphs: [
        `Usted pagó ${amount}.`,
        ...(surplus === null ? [] : [tooMuch(surplus)]),
        hasReceipt ? 'Adjuntamos el recibo.' : 'El recibo está en la página.',
      ],
    }),
    cancelled: ({ payee }) => ({
      subject: `${payee} canceló la solicitud de pago`,
      heading: `${payee} canceló esta solicitud`,
      answers: [
        paidNothing,
        `${closed} Una transferencia ya enviada se le devolverá.`,
        'No envíe dinero con los datos bancarios de esta solicitud.',
      ],
    }),
    expired: ({ payee }) => ({
      subject: `La solicitud de ${payee} ya no está abierta`,
      heading: 'Esta solicitud ya no está abierta',
      answers: [
        paidNothing,
        'Una transferencia ya enviada se le devolverá.',
        `No envíe dinero. Pida a ${payee} una solicitud nueva.`,
      ],
    }),
    failed: ({ payee, received, isHeld }) =>
      isHeld
        ? {
            subject: `Estamos revisando su pago a ${payee}`,
            heading: 'Estamos revisando su pago',
            answers: [
              `Recibimos ${received} de usted. El último paso no está confirmado.`,
              'Nuestro equipo lo revisa y le escribirá.',
              'No vuelva a pagar.',
            ],
          }
        : {
            subject: `El pago a ${payee} no se completó`,
            heading: 'El pago no se completó',
            answers: [
              'No tenemos dinero suyo.',
              closed,
              `No envíe dinero con los mismos datos bancarios. Pida a ${payee} otra forma de pago.`,
            ],
          },
    refund_ordered: ({ goesBack, isReturnedByHand }) => ({
      subject: isReturnedByHand
        ? 'Necesitamos un momento para devolver su dinero'
        : 'Le estamos devolviendo su dinero',
      heading: isReturnedByHand ? 'Necesitamos un momento para devolverle' : 'De vuelta a usted:',
      amount: goesBack,
      answers: [
        `${goesBack} vuelven a la cuenta de origen.`,
        isReturnedByHand
          ? 'Nuestro equipo organiza la transferencia y le escribirá.'
          : 'Los bancos tardan hasta 5 días hábiles.',
        'No tiene que hacer nada. No vuelva a pagar.',
      ],
    }),
    refunded: ({ refunded }) => ({
      subject: 'Su dinero fue devuelto',
      heading: 'Devuelto a usted:',
      amount: refunded,
      answers: [
        `Devolvimos ${refunded} a la cuenta de origen.`,
        'Su banco lo mostrará en el próximo extracto.',
        'No tiene que hacer nada.',
      ],
    }),
  },
  form: {
    sign_in: ({ org }) => [
      `Su enlace de acceso para ${org}`,
      'Su enlace de acceso',
      `Abre el formulario en el que ${org} pregunta quién es usted.`,
    ],
    owner_link: ({ org }) => [
      `${org} necesita sus datos como propietario`,
      'Añada sus datos',
      `Una empresa que paga a través de ${org} lo nombra como propietario o director. La ley ` +
        'exige sus datos y documentos.',
      'Quien pidió este correo no ve lo que usted introduce.',
    ],
    kyc_approved: ({ org }) => ({
      subject: 'Sus datos están aprobados',
      paragraphs: [`Ya puede pagar a través de ${org}. Por ahora no tiene que hacer nada.`],
    }),
    kyc_more: () => ({
      subject: 'Corrija sus datos',
      paragraphs: [
        'Abra la página. Muestra qué corregir y por qué.',
        'La verificación sigue cuando usted los envíe de nuevo.',
      ],
    }),
    kyc_rejected: ({ org }) => ({
      subject: 'No podemos aceptar sus datos',
      paragraphs: [`El formulario está cerrado. Pregunte a ${org} qué puede hacer.`],
    }),
  },
  approver: {
    approval_link: ({ payee, amount, mailbox: buyer }) => ({
      subject: `Apruebe el pago de ${amount} a ${payee}`,
      heading: 'Apruebe o rechace',
      amount,
      paragraphs: [
        `${buyer} quiere pagar a ${payee} y pide antes su aprobación.`,
        'La página muestra el motivo. Aprobar no paga nada: quien lo pidió confirma y paga.',
      ],
    }),
    sign_in: ({ payee, amount, mailbox: buyer }) => ({
      subject: `Su enlace para aprobar el pago a ${payee}`,
      heading: 'Apruebe o rechace',
      amount,
      paragraphs: [`${buyer} quiere pagar a ${payee} y pide antes su aprobación.`],
    }),
  },
  member: {
    invitation: ({ org }) => [
      `Le invitan al panel de ${org}`,
      `Le damos la bienvenida a ${org}`,
      'El panel muestra los pagos y dónde está el dinero. El enlace permite entrar sin contraseña.',
    ],
    sign_in: ({ org }) => [
      `Su enlace para entrar en el panel de ${org}`,
      'Su enlace para entrar',
      `Abre el panel de ${org}.`,
    ],
    production_decided: ({ org }) => [
      `Hay una decisión sobre el acceso a producción de ${org}`,
      'Su solicitud tiene respuesta',
      `El operador del servicio decidió sobre el acceso a producción de ${org}.`,
      'El panel muestra la respuesta en «Primeros pasos».',
    ],
    webhooks_gave_up: ({ object }) => [
      `Los webhooks a ${object} no se entregaron`,
      'Hay webhooks sin entregar',
      `${object} no los aceptó, en modo de producción. Al menos un evento se abandonó ` +
        `tras el último intento.`,
      'Ningún evento se pierde: reenvíe las entregas en el panel cuando el servidor funcione, ' +
        'o lea el feed de eventos. Mientras dure, este correo llega una vez al día.',
    ],
    passkey_added: ({ org }) => [
      `Se añadió una clave de acceso al panel de ${org}`,
      'Se añadió una clave de acceso',
      `Con ella se entra en el panel de ${org} como usted, sin correo.`,
      'Si no la añadió usted, entre con un enlace por correo, elimínela en «Sus sesiones» y ' +
        'cierre todas las sesiones.',
    ],
    passkey_removed: ({ org }) => [
      `Se eliminó una clave de acceso del panel de ${org}`,
      'Se eliminó una clave de acceso',
      `Ya no permite entrar en el panel de ${org}.`,
      'Si no la eliminó usted, entre con un enlace por correo, revise «Sus sesiones» y cierre ' +
        'todas las sesiones.',
    ],
    live_key_created: ({ org, object }) => [
      `Se creó una clave de API de producción de ${org}`,
      'Se creó una clave de producción',
      `La clave ${object} funciona desde ahora, con dinero real.`,
      'Si nadie de su equipo la creó, revóquela en el panel, cierre las sesiones que no ' +
        'reconozca y escríbanos.',
    ],
    team_changed: ({ org, object, role }) => [
      `Cambió el equipo de ${org}`,
      'Cambió su equipo',
      role === null
        ? `${object} ya no es miembro.`
        : `${object} es miembro con el rol «${roles[role]}» desde ahora.`,
      'Si nadie de su equipo lo hizo, un propietario puede deshacerlo en el panel, en ' +
        '«Equipo». Escríbanos también.',
    ],
    passkeys_reset: ({ org, object }) => [
      `Se restablecieron las claves de acceso de ${object}`,
      'Se restablecieron las claves de acceso de un miembro',
      'A petición de su equipo, eliminamos todas las claves de acceso y cerramos todas las ' +
        `sesiones de ${object}, miembro de ${org}. El miembro entra con un enlace por correo y ` +
        'añade otra clave de acceso.',
      'Si nadie de su equipo lo pidió, quite al miembro en el panel, en «Equipo», y escríbanos.',
    ],
  },
  destination: ({ org, owner, sellerId, isFirst, keyId, writtenAt, effectiveAt }) => ({
    subject: `El destino PIX de ${owner} fue ${isFirst ? 'registrado' : 'cambiado'}`,
    paragraphs: [
      `${isFirst ? 'El registro' : 'El cambio'} se hizo el ${writtenAt}` +
        `${keyId === null ? '' : ` con la clave de API ${keyId}`}.`,
      ...(sellerId === null ? [] : [`Vendedor: ${sellerId}. Cobra: ${org}.`]),
      effectiveAt === null
        ? `Los pagos creados desde ahora van al destino nuevo.${isFirst ? '' : keepOld}`
        : `Los pagos creados desde el ${effectiveAt} van al destino nuevo.` +
          (isFirst ? ' Antes no se puede crear ninguno.' : keepOld),
      ...(effectiveAt === null
        ? []
        : ['Hasta entonces puede detenerlo. Abrir el enlace no cambia nada.']),
      'Si lo esperaba, no tiene que hacer nada. Si no, actúe de inmediato: ' +
        (keyId === null
          ? 'contacte al operador de este servicio.'
          : `${org} debe revocar esta clave de API y después registrar de nuevo el destino ` +
            'correcto.'),
    ],
  }),
  confirmation: ({ action }) => [
    `Confirme: va a ${action}`,
    'Confirme que es usted',
    `Va a ${action}.`,
    'El enlace o el código muestra que es usted. Por sí solos no cambian nada.',
  ],
  question: ({ payee, amount, mailbox, question }) => [
    `Una pregunta sobre ${amount} para ${payee}`,
    'Un comprador pregunta',
    question,
    `Responda a este correo: la respuesta llega a ${mailbox}, dirección que fue confirmada.`,
  ],
  moved: {
    payout_returned: ({ payee, amount, moved, settled }) => [
      `El pago de ${amount} a ${payee} volvió`,
      'Un pago al beneficiario volvió',
      `${payee} ya no tiene ${settled ?? moved}: el PIX volvió al proveedor de liquidación.`,
      'El pago sigue liquidado. Un operador de este servicio decide si se paga de nuevo al ' +
        'beneficiario o si el comprador recupera el dinero. Si se paga de nuevo al ' +
        'beneficiario, usted recibe otro correo.',
    ],
    paid_again: ({ payee, amount, moved, settled }) => [
      `El pago de ${amount} a ${payee} se hizo de nuevo`,
      'El beneficiario cobró de nuevo',
      `${payee} tiene ${settled ?? moved} por otro PIX.`,
      'Su importe, su tipo de cambio y su identificador PIX son propios. Los del primer PIX ' +
        'quedan en el pago, con la hora en que volvió.',
    ],
    paid_late: ({ payee, amount, moved, settled }) => [
      `Un pago de ${amount} a ${payee} se hizo después del final`,
      'El beneficiario cobró después del final',
      `${payee} tiene ${settled ?? moved}, aunque el pago había terminado sin abono.`,
      'El estado no cambia. No pague al beneficiario por otros medios.',
    ],
    payin_recalled: ({ payee, amount, moved }) => [
      `Un banco retiró el pago de ${amount} a ${payee}`,
      'Un banco retiró un pago',
      `El banco del comprador retiró ${moved} después del envío del pago a ${payee}.`,
      'No se hizo ningún reembolso. El estado del pago no cambia.',
    ],
    recall_reversed: ({ payee, amount, moved }) => [
      `El retiro de ${amount} a ${payee} se anuló`,
      'Un retiro se anuló',
      `${moved} que un banco había retirado está de nuevo con el proveedor de liquidación.`,
      'El estado del pago no cambia.',
    ],
  },
  settled: ({ payee, amount, buyer, settled, writtenAt, hasProof, until }) => ({
    subject: `${payee} recibió ${settled}`,
    heading: `${payee} recibió`,
    amount: settled,
    paragraphs: [
      `El PIX por ${amount} de ${buyer} se informó el ${writtenAt}.`,
      hasProof ? 'Adjuntamos el comprobante de pago.' : 'El comprobante de pago está en la página.',
      `La página se abre hasta ${until}. Quien tiene el enlace lee todo, sin cambiar nada.`,
    ],
  }),
  paper: ({ org, kind, lastDay, seller }) => [
    `El último día de un documento para compradores es el ${lastDay}`,
    'Un documento para compradores está por vencer',
    `${kind}${seller === null ? '' : ` (${seller})`}. Los compradores lo descargan y archivan ` +
      `antes de pagar. Después del ${lastDay} ya no se ofrece, y pueden retener pagos.`,
    seller === null
      ? 'Suba uno nuevo en el panel, en “Documentos del proveedor”. Reemplaza a este.'
      : `Envíe uno nuevo a ${org}. Reemplaza a este.`,
  ],
  paperKinds: {
    w8: 'Formulario fiscal del beneficiario (W-8 o W-9)',
    engagement_letter: 'Carta de encargo',
    holder_tax_form: 'Formulario fiscal del titular de la cuenta',
    bank_letter: 'Carta del banco',
    registration: 'Inscripción o licencia',
  },
  owner: {
    payment_approved: ({ payee, amount, buyer, approver }) => [
      `Un pago de ${amount} a ${payee} fue aprobado`,
      'Un pago fue aprobado',
      `${approver} lo aprobó. El comprador es ${buyer}.`,
      'Si no lo esperaba, cancele el pago en el panel y revise su equipo.',
    ],
    buyer_differs: ({ payee, amount, buyer }) => [
      `El comprador de ${amount} a ${payee} fue verificado con otro nombre o país`,
      'Un pago espera a su comprador',
      `El pago nombra a ${buyer}. El correo del comprador fue verificado antes, con otro ` +
        'nombre o en otro país que los del pago. Esa aprobación no se usa.',
      'El pago sigue cuando el comprador completa el formulario de su página. Si el nombre o ' +
        'el país del pago es incorrecto, cancélelo y cree otro.',
    ],
  },
  frame: {
    test: 'Esto es una prueba: no se mueve dinero real. No envíe nada.',
    via: 'vía Ponte',
    details: {
      number: (number) => `factura ${number}`,
      purchaseOrder: (order) => `orden de compra ${order}`,
      buyerReference: (reference) => `su referencia ${reference}`,
      due: (due) => `vence el ${due}`,
    },
    questions: [
      '¿Dónde está mi dinero?',
      '¿Qué pasa ahora?',
      '¿Qué debo hacer?',
      '¿A quién pregunto?',
    ],
    now: (text) => `Ahora: ${text}`,
    openPayment: 'Abrir la página de pago',
    openForm: 'Abrir el formulario',
    openDashboard: 'Abrir el panel',
    stopChange: 'Detener el cambio',
    openProof: 'Abrir el comprobante de pago',
    code: 'O escriba este código en la ventana donde lo pidió:',
    codeOfPage: 'Si la página pide un código, escriba este:',
    until: (moment, withCode) =>
      withCode
        ? `El enlace y el código sirven una vez, hasta ${moment}. Abrir la página no paga nada.`
        : `El enlace da acceso una vez, hasta ${moment}. Después, la página le envía otro.`,
    untilOfMember: (moment, withCode) =>
      withCode
        ? `El enlace y el código sirven una vez, hasta ${moment}.`
        : `El enlace da acceso una vez, hasta ${moment}. Después, pida otro al entrar.`,
    doNotForward: 'No reenvíe este correo: quien abra el enlace actúa en su nombre.',
    neverBankDetails:
      'Nunca enviamos datos bancarios por correo. Si un correo le da una cuenta para pagar, no ' +
      'es nuestro.',
    unexpected: '¿No esperaba este correo? No haga nada.',
    notAsked:
      '¿No pidió este correo? Alguien ha entrado en su nombre. Entre en el panel, cierre todo en ' +
      '“Sus sesiones” y avise a un propietario de su organización.',
    anyQuestions: '¿Preguntas?',
    help: (org, email, reference) =>
      email === null
        ? `Pregunte a ${org} e indique la referencia ${reference}.`
        : `Responda a este correo o escriba a ${org} a ${email}. Indique la ` +
          `referencia ${reference}.`,
    moreInvoices: (count) => `Y ${count} más, que la página muestra.`,
    copyLink: '¿El enlace no se abre? Cópielo:',
  },
} as const satisfies LetterCatalogue;
