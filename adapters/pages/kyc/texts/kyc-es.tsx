// Spanish texts of the KYC form; kyc-en.tsx has the keys.

import { prose } from '../../kit/frame-texts.js';
import { emailTexts } from '../../kit/pages/email-texts.js';
import type { KycTexts } from './kyc-en.js';

export const kycEs = {
  steps: {
    type: 'Empresa o persona',
    person: 'Persona',
    company: 'Empresa',
    address: 'Dirección',
    owners: 'Propietarios',
    documents: 'Documentos',
    terms: 'Condiciones del proveedor de liquidación',
    review: 'Revise sus respuestas',
  },
  stepOf: (step, count) => `Paso ${step} de ${count}`,
  stepsTitle: 'Pasos',
  missingCount: (count) => (count === 1 ? 'Falta 1' : `Faltan ${count}`),
  correctCount: (count) => `${count} por corregir`,
  waitingFor: (names) => `A la espera de ${names}`,
  savedAt: (when) => prose`Se guarda en cada paso, la última vez el ${when}.`,
  continue: 'Guardar y continuar',
  choose: 'Elija',
  day: 'Día',
  month: 'Mes',
  year: 'Año',
  chooseType: 'Elija una empresa o una persona.',
  typeHeading: '¿Quien paga es una empresa o una persona?',
  types: {
    business: 'Una empresa',
    businessHint: 'También una sociedad, una asociación o un organismo público.',
    individual: 'Una persona',
    individualHint: 'Alguien que paga desde una cuenta a su propio nombre.',
  },
  handOver: {
    summary: 'Pedírselo a otra persona por correo',
    text:
      'Enviamos un enlace a este formulario, por ejemplo a un director. Abre el formulario y no ' +
      'el pago. Lo que usted guardó se conserva.',
    email: 'Correo electrónico',
    send: 'Enviar el enlace',
    takeBack: 'Retirarlo',
    takeBackText:
      'El enlace deja de funcionar y termina la sesión de esa persona. Lo que guardó se conserva.',
    sent: (email, day) => prose`Enviado a ${email} el ${day}.`,
  },
  seller: {
    personHeading: '¿Quién cobra?',
    companyHeading: '¿Qué empresa cobra?',
    whyText:
      'Nuestro proveedor de liquidación debe saber quién cobra y a quién pertenece la empresa, ' +
      'por las normas contra el lavado de dinero. Los archivos van cifrados, solo los ven sus ' +
      'revisores y se borran cuando han decidido.',
  },
  personHeading: '¿Quién paga?',
  personLede: 'Como en el pasaporte o documento de identidad.',
  companyHeading: '¿Qué empresa paga?',
  companyLede: 'Como figura en el registro.',
  addressHeading: { business: 'Dirección de la empresa', individual: 'Su dirección' },
  addressLede: { business: 'Donde la empresa está registrada.', individual: 'Donde usted vive.' },
  fields: {
    firstName: 'Nombres',
    lastName: 'Apellidos',
    dateOfBirth: 'Fecha de nacimiento',
    phone: 'Teléfono',
    taxId: 'Número fiscal',
    taxType: 'Tipo de número fiscal',
    idDocType: 'Documento de identidad',
    idDocCountry: 'País que lo emitió',
    idDocNumber: 'Número del documento',
    legalName: 'Razón social',
    email: 'Correo electrónico',
    cnpj: 'CNPJ',
    formationDate: 'Fecha de constitución',
    website: 'Sitio web',
    country: 'País',
    addressLine1: 'Calle y número',
    addressLine2: 'Departamento, piso, edificio',
    city: 'Ciudad',
    stateProvinceRegion: 'Estado, provincia o región',
    postalCode: 'Código postal',
    role: 'Función en la empresa',
    proofOfAddressDocType: '¿Qué comprobante de domicilio se añadirá?',
    selfieFile: 'Foto de la cara',
    idDocFrontFile: 'Documento de identidad, anverso',
    idDocBackFile: 'Documento de identidad, reverso',
    proofOfAddressDocFile: 'Comprobante de domicilio',
    incorporationDocFile: 'Documento de constitución',
    proofOfOwnershipDocFile: 'Comprobante de titularidad',
    owners: 'Propietarios',
    tosId: 'Condiciones del proveedor de liquidación',
  },
  hints: {
    firstName: 'Todos, en cualquier alfabeto.',
    dateOfBirth: 'Por ejemplo, 31 1 1990.',
    formationDate: 'Por ejemplo, 3 2 2001. Figura en el registro.',
    phone: 'Con el código del país, como +52.',
    website: '¿Sin sitio web? Sirve una página pública de perfil.',
    stateProvinceRegion: 'En EE. UU., dos letras, como TX. En blanco donde no hay.',
    postalCode: 'Déjelo en blanco en un país sin códigos postales.',
    taxType: 'Solo para quien tributa en EE. UU.',
  },
  oneName: 'Tengo un solo nombre',
  theirOneName: 'Esta persona tiene un solo nombre',
  taxIdKept: (masked) => `Tenemos ${masked}. Déjelo vacío para conservarlo.`,
  idDocTypes: {
    PASSPORT: 'Pasaporte',
    ID_CARD: 'Documento de identidad',
    DRIVERS: 'Licencia de conducir',
  },
  roles: {
    beneficial_owner: 'Posee el 25 % o más',
    controlling_person: 'Dirige la empresa y posee menos del 25 %',
    beneficial_controlling: 'Posee el 25 % o más y dirige la empresa',
  },
  proofTypes: {
    UTILITY_BILL: 'Factura de luz, agua, gas o internet',
    BANK_STATEMENT: 'Extracto bancario',
    RENTAL_AGREEMENT: 'Contrato de alquiler',
    TAX_DOCUMENT: 'Documento fiscal',
    GOVERNMENT_CORRESPONDENCE: 'Carta de una autoridad',
  },
  enter: {
    firstName: 'Indique los nombres.',
    lastName: 'Indique los apellidos o marque la casilla de abajo.',
    dateOfBirth: 'Indique la fecha de nacimiento.',
    phone: 'Indique el teléfono.',
    taxId: 'Indique el número fiscal.',
    idDocType: 'Elija pasaporte, documento de identidad o licencia de conducir.',
    idDocCountry: 'Elija el país que emitió el documento.',
    idDocNumber: 'Indique el número del documento.',
    legalName: 'Indique la razón social.',
    email: 'Indique el correo electrónico.',
    cnpj: 'Indique el CNPJ.',
    formationDate: 'Indique la fecha de constitución.',
    website: 'Indique el sitio web.',
    country: 'Elija el país.',
    addressLine1: 'Indique calle y número.',
    city: 'Indique la ciudad.',
    stateProvinceRegion: 'Indique el estado, la provincia o la región.',
    postalCode: 'Indique el código postal.',
    role: 'Elija la función en la empresa.',
    proofOfAddressDocType: 'Elija el comprobante de domicilio.',
  },
  problems: {
    missing: 'Falta completarlo.',
    too_short: 'Es demasiado corto.',
    too_long: 'Es demasiado largo.',
    control_characters: 'Tiene caracteres que no se pueden imprimir. Escríbalo de nuevo.',
    not_offered: 'Elija una opción de la lista.',
    no_such_date: 'Ese día no existe. Indique día, mes y año de cuatro cifras.',
    too_young: 'La persona debe tener 18 años o más.',
    too_old: 'Revise el año.',
    in_the_future: 'Ese día está en el futuro.',
    not_a_phone: 'Indique el código del país y el número, como +52 55 5555 0100.',
    not_a_website: 'Indique una dirección como www.ejemplo.com.',
    not_a_state: 'Indique las dos letras del estado, como TX.',
    not_a_cnpj: 'No es un CNPJ: revise sus 14 caracteres.',
    ...emailTexts.es,
  },
  correct: 'Algo aquí no fue aceptado. Revíselo y guárdelo de nuevo.',
  correctOther: 'Algo en sus datos no fue aceptado. Revíselos todos y envíelos de nuevo.',
  correctElsewhere: (reason) =>
    `${reason} Este formulario no lo pide. Hemos recibido el aviso y le escribiremos.`,
  owners: {
    heading: '¿Quién posee y dirige la empresa?',
    lede: 'Todos los que poseen el 25 % o más, y una persona que dirige la empresa.',
    who: '¿Quién cuenta como propietario?',
    whoText:
      'Una persona con el 25 % o más de las participaciones o votos, directamente o a través de ' +
      'otras empresas. Si no hay nadie, indique solo a la persona que dirige la empresa.',
    none:
      'Todavía no hay nadie en la lista. Añada al menos a una persona: todos los que poseen el ' +
      '25 % o más, y una persona que dirige la empresa.',
    pages: {
      owner: '1 de 2: la persona',
      owner_papers: '2 de 2: número fiscal y documento de identidad',
    },
    sameAddress: 'Vive en la dirección de la empresa',
    nameless: (number) => `Propietario ${number}`,
    add: 'Añadir propietario',
    edit: 'Abrir',
    complete: 'Completo',
    asked: (day) => prose`Pedido el ${day}, sin terminar`,
    done: (day) => prose`Terminado el ${day}`,
    whoFills: '¿Quién lo completa?',
    whoFillsText: (name) =>
      `Complételo abajo o pídalo a ${name} por correo: usted no necesita números ni documentos.`,
    askHeading: (name) => `Pedir a ${name} por correo`,
    askText:
      'Enviamos un enlace al propietario. Funciona 7 días y muestra solo esta parte del ' +
      'formulario. Usted ve que está terminada, nunca los archivos ni los números.',
    askWarning: 'Lo que usted completó aquí, además del nombre y la función, también se traspasa.',
    email: 'Correo del propietario',
    again: 'Enviar de nuevo',
    takeBack: 'Completarlo aquí',
    takeBackText: 'Lo que completó el propietario se borra.',
    self: {
      heading: (company) => `Sus datos para ${company}`,
      lede:
        'Se le indicó como persona que posee o dirige esta empresa. Quien se lo pidió ve que ha ' +
        'terminado, y nada de lo que usted añade aquí.',
      send: 'Enviar mi parte',
      sent: 'Gracias. Su parte está completa.',
      sentText:
        'Puede cerrar esta página. Hasta que se envíe el formulario entero, aún puede cambiar ' +
        'algo.',
      documents: 'Sus documentos',
      change: 'Cambiar algo',
    },
  },
  documents: {
    formats: (types, size) => `${types}, hasta ${size}`,
    hints: {
      selfieFile: 'Tomada ahora, mirando a la cámara, sin lentes ni sombrero.',
      idDocFrontFile: 'Las cuatro esquinas, sin reflejos, todas las líneas legibles.',
      idDocBackFile: 'Las cuatro esquinas, sin reflejos, todas las líneas legibles.',
      proofOfAddressDocFile: 'Con nombre y dirección, de los últimos 3 meses.',
      incorporationDocFile: 'Estatutos o certificado con nombre, fecha y número de registro.',
      proofOfOwnershipDocFile:
        'Muestra quién tiene qué parte: libro de socios, tabla de capital o acuerdo de socios.',
    },
    fronts: {
      PASSPORT: 'Pasaporte, página con foto',
      ID_CARD: 'Documento de identidad, anverso',
      DRIVERS: 'Licencia de conducir, anverso',
    },
    backs: { ID_CARD: 'Documento de identidad, reverso', DRIVERS: 'Licencia de conducir, reverso' },
    received: 'Recibido',
    missing: 'Falta',
    refused: 'No aceptado',
    add: 'Agregar una foto o un PDF',
    drop: 'o suelte un archivo aquí',
    replaceBy: 'Elegir una foto o un PDF',
    replace: 'Sustituir',
    remove: 'Quitar',
    of: (file, name) => `${file} de ${name}`,
    why: '¿Por qué se necesita?',
    whyText:
      'Nuestro proveedor de liquidación debe saber quién paga y a quién pertenece, por ' +
      'las normas contra el lavado de dinero. Los archivos se cifran, solo los ven los ' +
      'revisores del proveedor y se borran cuando han decidido.',
    off: 'En esta página no se pueden subir archivos. Pida otra vía a la organización de abajo.',
    waits: (name) => `${name} añade los documentos por un enlace. Usted ve cuándo termina.`,
    refusals: {
      empty: 'Elija primero un archivo. El que llegó está vacío.',
      heic:
        'Esta foto está en el formato HEIC del iPhone, que no se puede leer en todas partes. En ' +
        'el iPhone elija Ajustes, Cámara, Formatos, Más compatible y repítala, o haga una ' +
        'captura de pantalla de la foto.',
      unknown_type: 'Este archivo no es JPEG, PNG ni PDF. Tome una foto del documento.',
      not_as_declared:
        'El nombre del archivo no corresponde a su contenido. Guárdelo de nuevo como PDF o JPEG.',
      photo_only: 'Debe ser una foto y no otro tipo de archivo: JPEG o PNG.',
      too_large: 'Este archivo es demasiado grande. Tome una foto con menos resolución.',
      too_many: 'Demasiados archivos en poco tiempo. Espere unos minutos e inténtelo de nuevo.',
    },
  },
  phone: {
    heading: 'Tomar fotos con el teléfono',
    lede: 'Apunte la cámara del teléfono a este código. Abre una página que solo recibe archivos.',
    memberLede: 'Apunte la cámara del teléfono a este código e inicie sesión también allí.',
    alt: 'Código QR con el enlace',
    life: 'El código funciona una vez, durante 10 minutos.',
    back: 'Volver a los documentos',
    again: 'Crear otro código',
    over: 'Este código ya no funciona',
    endedText: 'Se usó o pasaron 10 minutos. Cree otro en su computadora.',
    enter: '¿Añadir archivos desde este teléfono?',
    enterText:
      'La página recibe archivos para el formulario de su computadora y no muestra nada más.',
    formOf: 'Formulario de',
    askedBy: 'Solicitado por',
    paymentTo: 'Para un pago a',
    notYours: (org) =>
      `¿No es su formulario? Cierre esta página, no añada archivos y avise a ${org}.`,
    uploads: 'Añada sus archivos',
    uploadsLede: 'Aparecen en su computadora. Cierre esta página cuando termine.',
  },
  terms: {
    heading: 'Condiciones del proveedor de liquidación',
    lede: 'El proveedor que comprueba sus datos le pide aceptar sus condiciones en su página.',
    open: 'Leer las condiciones',
    leaves: 'Usted sale de esta página y vuelve a ella.',
    accepted: 'Ha aceptado las condiciones.',
  },
  review: {
    lede: 'No se envía nada antes de que presione el botón.',
    changeOf: (what) => `Cambiar: ${what}`,
    none: '–',
    filledBy: (email) => prose`Completado por ${email}`,
    toDo: 'Antes de poder enviarlo',
    who: 'Quién ve esto y durante cuánto tiempo',
    whoText: (org) =>
      `Nuestro proveedor de liquidación comprueba estos datos. ${org} conoce el resultado y no ` +
      've los archivos. Guardamos sus datos cifrados hasta que el proveedor decide y después los ' +
      'borramos. El proveedor conserva lo que la ley le exige.',
    send: 'Enviar para verificación',
  },
  ask: {
    heading: (org) => `${org} pregunta quién es usted`,
    lede: 'Inicie sesión para completar el formulario. Lleva unos 10 minutos.',
    owner:
      'Le pidieron añadir sus datos a un formulario. Inicie sesión con un enlace para hacerlo.',
    sendHint: 'Va al correo que recibió el primer mensaje.',
  },
} satisfies KycTexts;
