// The sentences of mails in Brazilian Portuguese. They use “você”, as banks do.
import type { LetterCatalogue } from './letter-texts.js';
import { roleNames } from './role-names.js';
import { situationDeadlines } from './situation-texts.js';

const roles = roleNames['pt-BR'];
const { rest: restBy } = situationDeadlines['pt-BR'];

const paidNothing = 'Você não pagou nada.';
const closed = 'Esta cobrança está encerrada.';
const tooMuch = (surplus: string) => `Você enviou ${surplus} a mais. Esse valor será devolvido.`;

const keepOld = ' Pagamentos criados antes mantêm o anterior.';

export const lettersPtBr = {
  payment: {
    invitation: ({ payee, amount, invoices: list }) =>
      list === null
        ? {
            subject: `${payee} solicita o pagamento de ${amount}`,
            heading: `${payee} solicita o pagamento de`,
            amount,
            paragraphs: [
              'A página mostra a que se refere e como pagar por transferência bancária.',
            ],
          }
        : {
            subject: `${list.payee} solicita o pagamento de ${list.count} faturas`,
            amount: list.total,
            paragraphs: [
              'Um só acesso abre todas. A página mostra a que cada uma se refere e como pagar ' +
                'por transferência bancária.',
            ],
          },
    sign_in: ({ payee, amount }) => ({
      subject: `Seu link para pagar ${payee}`,
      heading: `${payee} solicita o pagamento de`,
      amount,
    }),
    kyc_approved: ({ payee }) => [
      `Você já pode pagar ${payee}`,
      'Seus dados foram aprovados',
      'Você ainda não pagou nada.',
      'Abra a página para conferir a cotação e receber os dados bancários.',
    ],
    kyc_more: () => ({
      subject: 'Corrija seus dados',
      answers: [
        'Você ainda não pagou nada.',
        'A verificação continua quando você enviar os dados de novo.',
        'Abra a página. Ela mostra o que corrigir e por quê.',
      ],
    }),
    kyc_rejected: ({ payee }) => ({
      subject: `Não podemos aceitar o pagamento a ${payee}`,
      heading: 'Não podemos aceitar este pagamento',
      answers: [
        `${paidNothing} Se você enviou dinheiro, ele será devolvido.`,
        closed,
        `Peça a ${payee} outra forma de pagamento.`,
      ],
    }),
    approval_given: ({ payee, approver }) => [
      `Você já pode confirmar o pagamento a ${payee}`,
      'O pagamento foi aprovado',
      `${approver} aprovou o pagamento. Você ainda não pagou nada.`,
      'Abra a página para confirmar a cotação e receber os dados bancários.',
    ],
    approval_declined: ({ payee, approver, declineReason }) => [
      `O pagamento a ${payee} foi recusado na sua empresa`,
      'O pagamento foi recusado',
      `${approver} não aprovou o pagamento. Você não pagou nada e não pode confirmá-lo.`,
      ...(declineReason === null ? [] : [`O motivo: ${declineReason}`]),
      'Na página você pode pedir de novo, ou pedir a outra pessoa.',
    ],
    instructions_ready: ({ payee, missing, isReplacement }) =>
      isReplacement
        ? [
            `Os dados bancários para ${payee} mudaram`,
            'Os dados bancários mudaram',
            `Não use os anteriores. Abra a página para ver para onde enviar ${missing}.`,
            `Antes de pagar, ligue para ${payee} em um número que você já tem, não em um ` +
              'que veio por e-mail. Peça que leiam o código de conferência dos novos dados e ' +
              'compare com o da página.',
            'Dados que chegaram por outro meio podem ser comparados em “Conferir dados ' +
              'bancários” na página.',
          ]
        : [
            `Você já pode enviar o dinheiro para ${payee}`,
            'Os dados bancários estão prontos',
            `Abra a página para ver para onde enviar ${missing}.`,
          ],
    money_short: ({ payee, amount, received, missing, payBy }) => ({
      subject: `Ainda falta receber ${missing}`,
      heading: 'Ainda falta receber',
      amount: missing,
      answers: [
        `Recebemos ${received} de ${amount}.`,
        `Pagamos a ${payee} quando o valor inteiro chegar.` +
          (payBy === null ? '' : ` ${payBy(restBy)}`),
        `Envie exatamente ${missing} com a mesma referência. Ou peça na página a devolução de ` +
          'tudo.',
      ],
    }),
    money_received: ({ payee, amount, surplus }) => ({
      subject: 'Seu dinheiro chegou',
      paragraphs: [
        `Estamos com ${amount} para ${payee}.`,
        ...(surplus === null ? [] : [tooMuch(surplus)]),
        'Você não precisa fazer nada. O recibo chega por e-mail.',
      ],
    }),
    reminder: ({ payee, amount, due, received, missing, isPart }) => ({
      subject: `Vence em ${due}: ${missing} para ${payee}`,
      heading: isPart ? `Ainda falta para ${payee}:` : `Lembrete da cobrança de ${payee}:`,
      amount: missing,
      paragraphs: [
        isPart
          ? `${amount} vence em ${due}; chegaram ${received}. Uma transferência leva dias.`
          : `Ela vence em ${due}, e nenhum valor chegou até agora. Uma transferência leva dias.`,
        'Já fez a transferência? Então não é preciso fazer nada.',
      ],
    }),
    receipt: ({ payee, amount, settled, surplus, hasReceipt }) => ({
      subject: `Pago: ${amount} a ${payee}`,
      heading: `${payee} recebeu`,
      amount: settled ?? amount,
      paragraphs: [
        `Você pagou ${amount}.`,
        ...(surplus === null ? [] : [tooMuch(surplus)]),
        hasReceipt ? 'O recibo está anexo.' : 'O recibo está na página.',
      ],
    }),
    cancelled: ({ payee }) => ({
      subject: `${payee} cancelou a cobrança`,
      heading: `${payee} cancelou esta cobrança`,
      answers: [
        paidNothing,
        `${closed} Uma transferência já enviada será devolvida.`,
        'Não envie dinheiro com os dados bancários desta cobrança.',
      ],
    }),
    expired: ({ payee }) => ({
      subject: `A cobrança de ${payee} não está mais aberta`,
      heading: 'Esta cobrança não está mais aberta',
      answers: [
        paidNothing,
        'Uma transferência já enviada será devolvida.',
        `Não envie dinheiro. Peça a ${payee} uma nova cobrança.`,
      ],
    }),
    failed: ({ payee, received, isHeld }) =>
      isHeld
        ? {
            subject: `Estamos verificando seu pagamento a ${payee}`,
            heading: 'Estamos verificando seu pagamento',
            answers: [
              `Recebemos ${received} de você. A última etapa não foi confirmada.`,
              'Nossa equipe está verificando e vai escrever para você.',
              'Não pague novamente.',
            ],
          }
        : {
            subject: `O pagamento a ${payee} não foi concluído`,
            heading: 'O pagamento não foi concluído',
            answers: [
              'Não estamos com nenhum valor seu.',
              closed,
              `Não envie dinheiro com os mesmos dados bancários. Peça a ${payee} outra forma de ` +
                'pagamento.',
            ],
          },
    refund_ordered: ({ goesBack, isReturnedByHand }) => ({
      subject: isReturnedByHand
        ? 'Precisamos de um momento para devolver seu dinheiro'
        : 'Seu dinheiro está sendo devolvido',
      heading: isReturnedByHand
        ? 'Precisamos de um momento para devolver'
        : 'Sendo devolvido a você:',
      amount: goesBack,
      answers: [
        `${goesBack} voltam para a conta de origem.`,
        isReturnedByHand
          ? 'Nossa equipe providencia a transferência e vai escrever para você.'
          : 'Os bancos levam até 5 dias úteis.',
        'Você não precisa fazer nada. Não pague novamente.',
      ],
    }),
    refunded: ({ refunded }) => ({
      subject: 'Seu dinheiro foi devolvido',
      heading: 'Devolvido a você:',
      amount: refunded,
      answers: [
        `Devolvemos ${refunded} para a conta de origem.`,
        'O valor aparece no próximo extrato do seu banco.',
        'Você não precisa fazer nada.',
      ],
    }),
  },
  form: {
    sign_in: ({ org }) => [
      `Seu link de acesso para ${org}`,
      'Seu link de acesso',
      `Ele abre o formulário em que ${org} pergunta quem você é.`,
    ],
    owner_link: ({ org }) => [
      `${org} precisa dos seus dados como sócio ou administrador`,
      'Envie seus dados',
      `Uma empresa que paga por meio de ${org} indica você como sócio ou administrador. A lei ` +
        'exige seus dados e documentos.',
      'Quem pediu este e-mail não vê o que você informa.',
    ],
    kyc_approved: ({ org }) => ({
      subject: 'Seus dados foram aprovados',
      paragraphs: [`Você já pode pagar por meio de ${org}. Não precisa fazer nada por enquanto.`],
    }),
    kyc_more: () => ({
      subject: 'Corrija seus dados',
      paragraphs: [
        'Abra a página. Ela mostra o que corrigir e por quê.',
        'A verificação continua quando você enviar os dados de novo.',
      ],
    }),
    kyc_rejected: ({ org }) => ({
      subject: 'Não podemos aceitar seus dados',
      paragraphs: [`O formulário está encerrado. Pergunte a ${org} o que você pode fazer.`],
    }),
  },
  approver: {
    approval_link: ({ payee, amount, mailbox: buyer }) => ({
      subject: `Aprove o pagamento de ${amount} a ${payee}`,
      heading: 'Aprove ou recuse',
      amount,
      paragraphs: [
        `${buyer} quer pagar ${payee} e pede antes a sua aprovação.`,
        'A página mostra a que se refere. Aprovar não paga nada: quem pediu confirma e paga.',
      ],
    }),
    sign_in: ({ payee, amount, mailbox: buyer }) => ({
      subject: `Seu link para aprovar o pagamento a ${payee}`,
      heading: 'Aprove ou recuse',
      amount,
      paragraphs: [`${buyer} quer pagar ${payee} e pede antes a sua aprovação.`],
    }),
  },
  member: {
    invitation: ({ org }) => [
      `Você foi convidado para o painel de ${org}`,
      `Boas-vindas a ${org}`,
      'O painel mostra os pagamentos e onde está o dinheiro. O link permite entrar sem senha.',
    ],
    sign_in: ({ org }) => [
      `Seu link para entrar no painel de ${org}`,
      'Seu link para entrar',
      `Ele abre o painel de ${org}.`,
    ],
    production_decided: ({ org }) => [
      `Há uma decisão sobre o acesso à produção de ${org}`,
      'O seu pedido foi respondido',
      `O operador do serviço decidiu sobre o acesso à produção de ${org}.`,
      'O painel mostra a resposta em “Primeiros passos”.',
    ],
    webhooks_gave_up: ({ object }) => [
      `Webhooks para ${object} não foram entregues`,
      'Webhooks não foram entregues',
      `${object} não os aceitou, no modo de produção. Pelo menos um evento foi ` +
        `abandonado após a última tentativa.`,
      'Nenhum evento se perde: reenvie as entregas no painel quando o servidor funcionar, ou ' +
        'leia o feed de eventos. Enquanto durar, este e-mail chega uma vez por dia.',
    ],
    passkey_added: ({ org }) => [
      `Uma chave de acesso foi adicionada ao painel de ${org}`,
      'Uma chave de acesso foi adicionada',
      `Com ela se entra no painel de ${org} como você, sem e-mail.`,
      'Se não foi você, entre com um link por e-mail, remova-a em “Suas sessões” e encerre ' +
        'todas as sessões.',
    ],
    passkey_removed: ({ org }) => [
      `Uma chave de acesso foi removida do painel de ${org}`,
      'Uma chave de acesso foi removida',
      `Ela não permite mais entrar no painel de ${org}.`,
      'Se não foi você, entre com um link por e-mail, veja “Suas sessões” e encerre todas as ' +
        'sessões.',
    ],
    live_key_created: ({ org, object }) => [
      `Uma chave de API de produção de ${org} foi criada`,
      'Uma chave de produção foi criada',
      `A chave ${object} funciona a partir de agora, com dinheiro real.`,
      'Se ninguém da sua equipe a criou, revogue-a no painel, encerre as sessões que ' +
        'não reconhecer e fale conosco.',
    ],
    team_changed: ({ org, object, role }) => [
      `A equipe de ${org} mudou`,
      'A sua equipe mudou',
      role === null
        ? `${object} não é mais membro.`
        : `${object} agora é membro com a função “${roles[role]}”.`,
      'Se ninguém da sua equipe fez isso, um proprietário pode desfazer no painel, em ' +
        '“Equipe”. Fale conosco também.',
    ],
    passkeys_reset: ({ org, object }) => [
      `As chaves de acesso de ${object} foram redefinidas`,
      'As chaves de acesso de um membro foram redefinidas',
      'A pedido da sua equipe, removemos todas as chaves de acesso e encerramos todas as ' +
        `sessões de ${object}, membro de ${org}. O membro entra com um link por e-mail e ` +
        'adiciona outra chave de acesso.',
      'Se ninguém da sua equipe pediu isso, remova o membro no painel, em “Equipe”, e fale ' +
        'conosco.',
    ],
  },
  destination: ({ org, owner, sellerId, isFirst, keyId, writtenAt, effectiveAt }) => ({
    subject: `O destino PIX de ${owner} foi ${isFirst ? 'cadastrado' : 'alterado'}`,
    paragraphs: [
      `${isFirst ? 'O cadastro foi feito' : 'A alteração foi feita'} em ${writtenAt}` +
        `${keyId === null ? '' : ` pela chave de API ${keyId}`}.`,
      ...(sellerId === null ? [] : [`Vendedor: ${sellerId}. Cobrança por: ${org}.`]),
      effectiveAt === null
        ? `Pagamentos criados a partir de agora vão para o novo destino.${isFirst ? '' : keepOld}`
        : `Pagamentos criados a partir de ${effectiveAt} vão para o novo destino.` +
          (isFirst ? ' Antes, nenhum pode ser criado.' : keepOld),
      ...(effectiveAt === null
        ? []
        : ['Até lá, você pode impedir isso. Abrir o link não altera nada.']),
      'Se você esperava isto, não precisa fazer nada. Se não, aja imediatamente: ' +
        (keyId === null
          ? 'fale com o operador deste serviço.'
          : `${org} deve revogar esta chave de API e depois registrar de novo o destino certo.`),
    ],
  }),
  confirmation: ({ action }) => [
    `Confirme: você vai ${action}`,
    'Confirme que é você',
    `Você vai ${action}.`,
    'O link ou o código mostra que é você. Sozinhos, eles não alteram nada.',
  ],
  question: ({ payee, amount, mailbox, question }) => [
    `Uma pergunta sobre ${amount} para ${payee}`,
    'Um comprador pergunta',
    question,
    `Responda a este e-mail: a resposta vai para ${mailbox}, endereço que foi confirmado.`,
  ],
  moved: {
    payout_returned: ({ payee, amount, moved, settled }) => [
      `O pagamento de ${amount} para ${payee} voltou`,
      'Um pagamento ao recebedor voltou',
      `${payee} não tem mais ${settled ?? moved}: o PIX voltou para o parceiro de liquidação.`,
      'O pagamento continua liquidado. Um operador deste serviço decide se o recebedor é pago ' +
        'de novo ou se o comprador recebe o dinheiro de volta. Se o recebedor for pago de ' +
        'novo, você recebe outro e-mail.',
    ],
    paid_again: ({ payee, amount, moved, settled }) => [
      `O pagamento de ${amount} para ${payee} foi feito de novo`,
      'O recebedor foi pago de novo',
      `${payee} tem ${settled ?? moved} por outro PIX.`,
      'Valor, taxa de câmbio e identificador do PIX são próprios dele. Os do primeiro PIX ' +
        'ficam no pagamento, com a hora em que ele voltou.',
    ],
    paid_late: ({ payee, amount, moved, settled }) => [
      `Um pagamento de ${amount} para ${payee} foi feito depois do fim`,
      'O recebedor foi pago depois do fim',
      `${payee} tem ${settled ?? moved}, embora o pagamento tivesse terminado sem repasse.`,
      'O status não muda. Não pague o recebedor por outros meios.',
    ],
    payin_recalled: ({ payee, amount, moved }) => [
      `Um banco tomou de volta o pagamento de ${amount} para ${payee}`,
      'Um banco tomou de volta um pagamento',
      `O banco do comprador tomou de volta ${moved} depois do envio do pagamento a ${payee}.`,
      'Nenhum reembolso foi feito. O status do pagamento não muda.',
    ],
    recall_reversed: ({ payee, amount, moved }) => [
      `A devolução de ${amount} para ${payee} foi desfeita`,
      'Uma devolução foi desfeita',
      `${moved} que um banco tinha tomado de volta está de novo com o parceiro de liquidação.`,
      'O status do pagamento não muda.',
    ],
  },
  settled: ({ payee, amount, buyer, settled, writtenAt, hasProof, until }) => ({
    subject: `${payee} recebeu ${settled}`,
    heading: `${payee} recebeu`,
    amount: settled,
    paragraphs: [
      `O PIX referente a ${amount} de ${buyer} foi informado em ${writtenAt}.`,
      hasProof
        ? 'O comprovante de pagamento está anexo.'
        : 'O comprovante de pagamento está na página.',
      `A página abre até ${until}. Quem tem o link lê tudo, mas não altera nada.`,
    ],
  }),
  paper: ({ org, kind, lastDay, seller }) => [
    `O último dia de um documento para compradores é ${lastDay}`,
    'Um documento para compradores vai vencer',
    `${kind}${seller === null ? '' : ` (${seller})`}. Os compradores o baixam e arquivam antes ` +
      `de pagar. Depois de ${lastDay} ele não é mais oferecido, e eles podem segurar pagamentos.`,
    seller === null
      ? 'Envie um novo no painel, em “Documentos do fornecedor”. Ele substitui este.'
      : `Mande um novo para ${org}. Ele substitui este.`,
  ],
  paperKinds: {
    w8: 'Formulário fiscal do recebedor (W-8 ou W-9)',
    engagement_letter: 'Carta de contratação',
    holder_tax_form: 'Formulário fiscal do titular da conta',
    bank_letter: 'Carta do banco',
    registration: 'Registro ou licença',
  },
  owner: {
    payment_approved: ({ payee, amount, buyer, approver }) => [
      `Um pagamento de ${amount} a ${payee} foi aprovado`,
      'Um pagamento foi aprovado',
      `${approver} o aprovou. O comprador é ${buyer}.`,
      'Se você não esperava isto, cancele o pagamento no painel e verifique a sua equipe.',
    ],
    buyer_differs: ({ payee, amount, buyer }) => [
      `O comprador de ${amount} a ${payee} foi verificado com outro nome ou país`,
      'Um pagamento espera pelo comprador',
      `O pagamento indica ${buyer}. O e-mail do comprador foi verificado antes, com outro nome ` +
        'ou em outro país que os do pagamento. Essa aprovação não é usada.',
      'O pagamento segue quando o comprador preenche o formulário da página. Se o nome ou o ' +
        'país do pagamento estiver errado, cancele-o e crie outro.',
    ],
  },
  frame: {
    test: 'Isto é um teste: nenhum valor real é movimentado. Não envie nada.',
    via: 'via Ponte',
    details: {
      number: (number) => `fatura ${number}`,
      purchaseOrder: (order) => `ordem de compra ${order}`,
      buyerReference: (reference) => `sua referência ${reference}`,
      due: (due) => `vencimento em ${due}`,
    },
    questions: [
      'Onde está o meu dinheiro?',
      'O que acontece agora?',
      'O que devo fazer?',
      'Com quem falo?',
    ],
    now: (text) => `Agora: ${text}`,
    openPayment: 'Abrir a página de pagamento',
    openForm: 'Abrir o formulário',
    openDashboard: 'Abrir o painel',
    stopChange: 'Impedir a alteração',
    openProof: 'Abrir o comprovante de pagamento',
    code: 'Ou digite este código na janela em que você o pediu:',
    codeOfPage: 'Se a página pedir um código, digite este:',
    until: (moment, withCode) =>
      withCode
        ? `Link e código valem uma vez, até ${moment}. Abrir a página não paga nada.`
        : `O link dá acesso uma vez, até ${moment}. Depois, a página envia outro.`,
    untilOfMember: (moment, withCode) =>
      withCode
        ? `Link e código valem uma vez, até ${moment}.`
        : `O link dá acesso uma vez, até ${moment}. Depois, peça outro na página de entrada.`,
    doNotForward: 'Não encaminhe este e-mail: quem abrir o link age em seu nome.',
    neverBankDetails:
      'Nunca enviamos dados bancários por e-mail. Se um e-mail indicar uma conta para pagamento, ' +
      'ele não é nosso.',
    unexpected: 'Não esperava este e-mail? Não faça nada.',
    notAsked:
      'Você não pediu este e-mail? Alguém entrou em seu nome. Entre no painel, encerre tudo em ' +
      '“Suas sessões” e avise um proprietário da sua organização.',
    anyQuestions: 'Dúvidas?',
    help: (org, email, reference) =>
      email === null
        ? `Fale com ${org} e informe a referência ${reference}.`
        : `Responda a este e-mail ou escreva para ${org} em ${email}. Informe a ` +
          `referência ${reference}.`,
    moreInvoices: (count) => `E mais ${count}, que a página mostra.`,
    copyLink: 'O link não abre? Copie-o:',
  },
} as const satisfies LetterCatalogue;
