// The words of a proof, as page, PDF and in the file that checks a pack.
import type { Locale } from '../../../core/domain/base/locale.js';
import type { Demand, ProvableFact } from '../../../core/domain/law/exemption.js';
import type { PayerAgreement } from '../../../core/domain/payments/payer-facts.js';
import type { PayerRelation } from '../../../core/domain/payments/payer-relation.js';

export interface ProofTexts {
  readonly title: string;
  readonly lede: (payee: string, buyer: string) => string;
  readonly pdf: string;
  readonly pack: string;
  /** A button. */
  readonly proofs: string;
  readonly monthTitle: (month: string) => string;
  readonly monthText: string;
  readonly noPayments: string;
  /** For the buyer. */
  readonly signed: string;
  readonly makeLink: string;
  readonly copyLink: string;
  readonly endLinks: (count: number) => string;
  readonly linkNow: string;
  readonly until: (text: string) => string;
  readonly payment: string;
  readonly payee: string;
  readonly buyer: string;
  readonly country: string;
  readonly email: string;
  readonly amount: string;
  readonly number: string;
  readonly yourId: string;
  readonly purchaseOrder: string;
  readonly purpose: string;
  readonly relation: string;
  readonly relations: Readonly<Record<PayerRelation, string>>;
  readonly fiscalDocument: string;
  readonly invoice: string;
  readonly price: string;
  readonly confirmed: string;
  readonly rate: string;
  readonly effectiveRate: string;
  readonly fees: string;
  readonly payeeGets: string;
  readonly transfer: string;
  readonly received: string;
  readonly verifiedPayer: string;
  readonly verifiedCountry: string;
  /** Whether the bank wrote the verified name. */
  readonly agreement: string;
  readonly agreements: Readonly<Record<PayerAgreement, string>>;
  readonly payer: string;
  readonly payerBank: string;
  readonly reference: string;
  readonly trace: string;
  readonly asset: string;
  readonly transaction: string;
  readonly pix: string;
  readonly settled: string;
  readonly endToEndId: string;
  readonly returned: string;
  readonly exemption: string;
  readonly demands: Readonly<Record<Demand, string>>;
  readonly met: string;
  readonly missing: (facts: string) => string;
  readonly facts: Readonly<Record<ProvableFact, string>>;
  readonly books: string;
  readonly account: string;
  readonly id: string;
  readonly check: string;
  readonly checkText: (keys: string) => string;
  readonly noAdvice: string;
  readonly verify: VerifyTexts;
}

/** In the file that checks a pack. */
export interface VerifyTexts {
  readonly title: string;
  readonly lede: string;
  readonly choose: string;
  readonly genuine: string;
  readonly notGenuine: string;
  readonly compare: string;
}

const en: ProofTexts = {
  title: 'Proof of payment',
  lede: (payee, buyer) => `${payee} was paid by ${buyer}.`,
  pdf: 'PDF',
  pack: 'Pack (ZIP)',
  proofs: 'Proofs',
  monthTitle: (month) => `Proofs of ${month}`,
  monthText:
    'One signed pack for each payee: the proof of each payment that settled in the ' +
    'month, and what ' +
    'the exemption of PIS and COFINS asks, shown or missing.',
  noPayments: 'No payment settled in this month.',
  signed: 'Signed proof (ZIP)',
  makeLink: 'Link for an accountant or bank',
  copyLink: 'Copy the link',
  endLinks: (count) => (count === 1 ? 'End the link' : `End ${count} links`),
  linkNow: 'Copy the link now: it is shown once.',
  until: (text) => `This link ends on ${text}.`,
  payment: 'Payment',
  payee: 'Payee',
  buyer: 'Payer',
  country: 'Country of the payer',
  email: 'E-mail of the payer',
  amount: 'Amount',
  number: 'Invoice',
  yourId: 'Own id of the payee',
  purchaseOrder: 'Purchase order',
  purpose: 'Purpose',
  relation: 'Payer and payee',
  relations: {
    unrelated: 'unrelated',
    parent: 'the payer controls the payee',
    subsidiary: 'the payee controls the payer',
    affiliate: 'one owner controls both',
    branch: 'one is a branch of the other',
    shareholder: 'one has a share in the other',
    relative: 'family',
  },
  fiscalDocument: 'Fiscal document',
  invoice: 'Invoice file',
  price: 'Price as the payer confirmed it',
  confirmed: 'Confirmed',
  rate: 'Rate',
  effectiveRate: 'Effective rate (VET), all costs included',
  fees: 'Fees',
  payeeGets: 'To the payee',
  transfer: 'What arrived',
  received: 'Received',
  verifiedPayer: 'Payer as verified',
  verifiedCountry: 'Country as verified',
  agreement: 'Name on the line of the bank',
  agreements: { agrees: 'the same', differs: 'another name', not_told: 'not known' },
  payer: 'Payer as the bank wrote it',
  payerBank: 'Bank of the payer',
  reference: 'Reference',
  trace: 'Number of the transfer',
  asset: 'Stablecoin',
  transaction: 'Hash of the transaction',
  pix: 'PIX to the payee',
  settled: 'Paid',
  endToEndId: 'End-to-end id',
  returned: 'Came back',
  exemption: 'What the exemption of PIS and COFINS asks',
  demands: {
    payer_abroad: 'The payer is abroad',
    conversion: 'Currencies were converted',
    service: 'The payment belongs to a service',
  },
  met: 'shown',
  missing: (facts) => `missing: ${facts}`,
  facts: {
    'payer.name': 'name of the payer as verified',
    'payer.country': 'a verified country of the payer that is not Brazil',
    'payer.told': 'name of the payer on the line of the bank',
    'payer.agreement': 'the line of the bank, which names another payer',
    currency: 'a foreign currency',
    settlements: 'a PIX that the payee has',
    'settlements.endToEndId': 'end-to-end id of the PIX',
    fiscalDocument: 'number or key of the fiscal document',
    invoice: 'invoice file',
    purpose: 'purpose',
  },
  books: 'Entries of the ledger',
  account: 'Account',
  id: 'Id',
  check: 'How to check it',
  checkText: (keys) =>
    'The pack has these facts and the invoice with signed digests. Its file ' +
    `verify.html checks each byte without a network. The keys of the signatures are at ${keys}.`,
  noAdvice:
    'This is no fiscal document, and no legal or tax advice. Names and countries that ' +
    'are not given as verified are those that the payee gave.',
  verify: {
    title: 'Check a proof',
    lede: 'Choose the ZIP file. It is read in this browser and not sent anywhere.',
    choose: 'Pack (ZIP)',
    genuine: 'Unchanged since it was signed',
    notGenuine: 'Not genuine',
    compare: 'Compare the key with the one that the service publishes:',
  },
};

const ptBr: ProofTexts = {
  title: 'Comprovante de pagamento',
  lede: (payee, buyer) => `${payee} recebeu o pagamento de ${buyer}.`,
  pdf: 'PDF',
  pack: 'Pacote (ZIP)',
  proofs: 'Comprovantes',
  monthTitle: (month) => `Comprovantes de ${month}`,
  monthText:
    'Um pacote assinado por recebedor: o comprovante de cada pagamento liquidado no mês ' +
    'e o que a ' +
    'isenção de PIS e COFINS pede, comprovado ou em falta.',
  noPayments: 'Nenhum pagamento foi liquidado neste mês.',
  signed: 'Comprovante assinado (ZIP)',
  makeLink: 'Link para contador ou banco',
  copyLink: 'Copiar o link',
  endLinks: (count) => (count === 1 ? 'Encerrar o link' : `Encerrar ${count} links`),
  linkNow: 'Copie o link agora: ele aparece só uma vez.',
  until: (text) => `Este link expira em ${text}.`,
  payment: 'Pagamento',
  payee: 'Recebedor',
  buyer: 'Pagador',
  country: 'País do pagador',
  email: 'E-mail do pagador',
  amount: 'Valor',
  number: 'Fatura',
  yourId: 'Código próprio do recebedor',
  purchaseOrder: 'Pedido de compra',
  purpose: 'Finalidade',
  relation: 'Pagador e recebedor',
  relations: {
    unrelated: 'sem relação',
    parent: 'o pagador controla o recebedor',
    subsidiary: 'o recebedor controla o pagador',
    affiliate: 'o mesmo dono controla os dois',
    branch: 'um é filial do outro',
    shareholder: 'um tem participação no outro',
    relative: 'família',
  },
  fiscalDocument: 'Documento fiscal',
  invoice: 'Arquivo da fatura',
  price: 'Preço que o pagador confirmou',
  confirmed: 'Confirmado',
  rate: 'Taxa de câmbio',
  effectiveRate: 'Valor efetivo total (VET), com todos os custos',
  fees: 'Tarifas',
  payeeGets: 'Para o recebedor',
  transfer: 'O que chegou',
  received: 'Recebido',
  verifiedPayer: 'Pagador como verificado',
  verifiedCountry: 'País como verificado',
  agreement: 'Nome na linha do banco',
  agreements: { agrees: 'o mesmo', differs: 'outro nome', not_told: 'não informado' },
  payer: 'Pagador como o banco escreveu',
  payerBank: 'Banco do pagador',
  reference: 'Referência',
  trace: 'Número da transferência',
  asset: 'Stablecoin',
  transaction: 'Hash da transação',
  pix: 'PIX ao recebedor',
  settled: 'Pago',
  endToEndId: 'ID fim a fim',
  returned: 'Devolvido',
  exemption: 'O que a isenção de PIS e COFINS pede',
  demands: {
    payer_abroad: 'O pagador está no exterior',
    conversion: 'Houve conversão de moedas',
    service: 'O pagamento pertence a um serviço',
  },
  met: 'comprovado',
  missing: (facts) => `falta: ${facts}`,
  facts: {
    'payer.name': 'nome do pagador como verificado',
    'payer.country': 'um país verificado do pagador que não seja o Brasil',
    'payer.told': 'nome do pagador na linha do banco',
    'payer.agreement': 'a linha do banco, que traz outro pagador',
    currency: 'uma moeda estrangeira',
    settlements: 'um PIX que está com o recebedor',
    'settlements.endToEndId': 'ID fim a fim do PIX',
    fiscalDocument: 'número ou chave do documento fiscal',
    invoice: 'arquivo da fatura',
    purpose: 'finalidade',
  },
  books: 'Lançamentos do razão',
  account: 'Conta',
  id: 'ID',
  check: 'Como conferir',
  checkText: (keys) =>
    'O pacote tem estes fatos e a fatura com resumos assinados. Seu arquivo ' +
    `verify.html confere cada byte sem rede. As chaves das assinaturas estão em ${keys}.`,
  noAdvice:
    'Isto não é documento fiscal nem orientação jurídica ou tributária. Nomes e países que não ' +
    'constam como verificados são os que o recebedor informou.',
  verify: {
    title: 'Conferir um comprovante',
    lede: 'Escolha o arquivo ZIP. Ele é lido neste navegador e não é enviado a lugar nenhum.',
    choose: 'Pacote (ZIP)',
    genuine: 'Sem alterações desde a assinatura',
    notGenuine: 'Não é autêntico',
    compare: 'Compare a chave com a que o serviço publica:',
  },
};

const es: ProofTexts = {
  title: 'Comprobante de pago',
  lede: (payee, buyer) => `${payee} recibió el pago de ${buyer}.`,
  pdf: 'PDF',
  pack: 'Paquete (ZIP)',
  proofs: 'Comprobantes',
  monthTitle: (month) => `Comprobantes de ${month}`,
  monthText:
    'Un paquete firmado por beneficiario: el comprobante de cada pago liquidado en el ' +
    'mes y lo que ' +
    'pide la exención de PIS y COFINS, comprobado o faltante.',
  noPayments: 'Ningún pago se liquidó en este mes.',
  signed: 'Comprobante firmado (ZIP)',
  makeLink: 'Enlace para contador o banco',
  copyLink: 'Copiar el enlace',
  endLinks: (count) => (count === 1 ? 'Terminar el enlace' : `Terminar ${count} enlaces`),
  linkNow: 'Copie el enlace ahora: se muestra una sola vez.',
  until: (text) => `Este enlace vence el ${text}.`,
  payment: 'Pago',
  payee: 'Beneficiario',
  buyer: 'Pagador',
  country: 'País del pagador',
  email: 'Correo del pagador',
  amount: 'Importe',
  number: 'Factura',
  yourId: 'Código propio del beneficiario',
  purchaseOrder: 'Orden de compra',
  purpose: 'Finalidad',
  relation: 'Pagador y beneficiario',
  relations: {
    unrelated: 'sin relación',
    parent: 'el pagador controla al beneficiario',
    subsidiary: 'el beneficiario controla al pagador',
    affiliate: 'un mismo dueño controla a los dos',
    branch: 'uno es sucursal del otro',
    shareholder: 'uno tiene participación en el otro',
    relative: 'familia',
  },
  fiscalDocument: 'Documento fiscal',
  invoice: 'Archivo de la factura',
  price: 'Precio que el pagador confirmó',
  confirmed: 'Confirmado',
  rate: 'Tipo de cambio',
  effectiveRate: 'Tipo efectivo total (VET), con todos los costos',
  fees: 'Comisiones',
  payeeGets: 'Para el beneficiario',
  transfer: 'Lo que llegó',
  received: 'Recibido',
  verifiedPayer: 'Pagador como se verificó',
  verifiedCountry: 'País como se verificó',
  agreement: 'Nombre en la línea del banco',
  agreements: { agrees: 'el mismo', differs: 'otro nombre', not_told: 'no informado' },
  payer: 'Pagador como lo escribió el banco',
  payerBank: 'Banco del pagador',
  reference: 'Referencia',
  trace: 'Número de la transferencia',
  asset: 'Stablecoin',
  transaction: 'Hash de la transacción',
  pix: 'PIX al beneficiario',
  settled: 'Pagado',
  endToEndId: 'ID de extremo a extremo',
  returned: 'Devuelto',
  exemption: 'Lo que pide la exención de PIS y COFINS',
  demands: {
    payer_abroad: 'El pagador está en el exterior',
    conversion: 'Hubo conversión de monedas',
    service: 'El pago pertenece a un servicio',
  },
  met: 'comprobado',
  missing: (facts) => `falta: ${facts}`,
  facts: {
    'payer.name': 'nombre del pagador como se verificó',
    'payer.country': 'un país verificado del pagador que no sea Brasil',
    'payer.told': 'nombre del pagador en la línea del banco',
    'payer.agreement': 'la línea del banco, que trae otro pagador',
    currency: 'una moneda extranjera',
    settlements: 'un PIX que el beneficiario conserva',
    'settlements.endToEndId': 'ID de extremo a extremo del PIX',
    fiscalDocument: 'número o clave del documento fiscal',
    invoice: 'archivo de la factura',
    purpose: 'finalidad',
  },
  books: 'Asientos del libro mayor',
  account: 'Cuenta',
  id: 'ID',
  check: 'Cómo comprobarlo',
  checkText: (keys) =>
    'El paquete tiene estos datos y la factura con resúmenes firmados. Su archivo ' +
    `verify.html comprueba cada byte sin red. Las claves de las firmas están en ${keys}.`,
  noAdvice:
    'Esto no es un documento fiscal ni asesoría legal o tributaria. Los nombres y países que no ' +
    'constan como verificados son los que dio el beneficiario.',
  verify: {
    title: 'Comprobar un pago',
    lede: 'Elija el archivo ZIP. Se lee en este navegador y no se envía a ningún lugar.',
    choose: 'Paquete (ZIP)',
    genuine: 'Sin cambios desde que se firmó',
    notGenuine: 'No es auténtico',
    compare: 'Compare la clave con la que publica el servicio:',
  },
};

export const proofTexts = { en, 'pt-BR': ptBr, es } as const satisfies Record<Locale, ProofTexts>;
