// Brazilian Portuguese texts of the KYC form; kyc-en.tsx has the keys.
import { emailTexts } from '../../kit/pages/email-texts.js';
import type { KycTexts } from './kyc-en.js';

export const kycPtBr = {
  steps: {
    type: 'Empresa ou pessoa',
    person: 'Pessoa',
    company: 'Empresa',
    address: 'Endereço',
    owners: 'Sócios e administradores',
    documents: 'Documentos',
    terms: 'Termos do parceiro',
    review: 'Confira suas respostas',
  },
  stepOf: (step, count) => `Etapa ${step} de ${count}`,
  stepsTitle: 'Etapas',
  missingCount: (count) => (count === 1 ? 'Falta 1' : `Faltam ${count}`),
  correctCount: (count) => `${count} a corrigir`,
  waitingFor: (names) => `Aguardando ${names}`,
  savedAt: (when) => <>Salvo a cada etapa, a última vez em {when}.</>,
  continue: 'Salvar e continuar',
  choose: 'Escolha',
  day: 'Dia',
  month: 'Mês',
  year: 'Ano',
  chooseType: 'Escolha uma empresa ou uma pessoa.',
  typeHeading: 'Quem paga é uma empresa ou uma pessoa?',
  types: {
    business: 'Uma empresa',
    businessHint: 'Também uma sociedade, associação ou órgão público.',
    individual: 'Uma pessoa',
    individualHint: 'Alguém que paga de uma conta em seu próprio nome.',
  },
  handOver: {
    summary: 'Pedir a outra pessoa por e‑mail',
    text:
      'Enviamos um link para este formulário, por exemplo a um diretor. Ele abre o formulário, ' +
      'não o pagamento. O que você salvou permanece.',
    email: 'Endereço de e‑mail',
    send: 'Enviar o link',
    takeBack: 'Retomar',
    takeBackText:
      'O link deixa de funcionar e a sessão da pessoa termina. O que ela salvou permanece.',
    sent: (email, day) => (
      <>
        Enviado para {email} em {day}.
      </>
    ),
  },
  seller: {
    personHeading: 'Quem recebe?',
    companyHeading: 'Qual empresa recebe?',
    whyText:
      'Nosso parceiro de liquidação precisa saber quem recebe e quem são os sócios da empresa, ' +
      'pelas regras contra a lavagem de dinheiro. Os arquivos são criptografados, vistos apenas ' +
      'pelos analistas do parceiro e apagados depois da decisão.',
  },
  personHeading: 'Quem está pagando?',
  personLede: 'Como no passaporte ou documento de identidade.',
  companyHeading: 'Qual empresa está pagando?',
  companyLede: 'Como consta no registro.',
  addressHeading: { business: 'Endereço da empresa', individual: 'Seu endereço' },
  addressLede: { business: 'Onde a empresa está registrada.', individual: 'Onde você mora.' },
  fields: {
    firstName: 'Nomes',
    lastName: 'Sobrenomes',
    dateOfBirth: 'Data de nascimento',
    phone: 'Telefone',
    taxId: 'Número fiscal',
    taxType: 'Tipo de número fiscal',
    idDocType: 'Documento de identidade',
    idDocCountry: 'País que o emitiu',
    idDocNumber: 'Número do documento',
    legalName: 'Razão social',
    email: 'Endereço de e‑mail',
    cnpj: 'CNPJ',
    formationDate: 'Data de constituição',
    website: 'Site',
    country: 'País',
    addressLine1: 'Rua e número',
    addressLine2: 'Apartamento, andar, prédio',
    city: 'Cidade',
    stateProvinceRegion: 'Estado, província ou região',
    postalCode: 'Código postal',
    role: 'Função na empresa',
    proofOfAddressDocType: 'Qual comprovante de endereço será enviado?',
    selfieFile: 'Foto do rosto',
    idDocFrontFile: 'Documento de identidade, frente',
    idDocBackFile: 'Documento de identidade, verso',
    proofOfAddressDocFile: 'Comprovante de endereço',
    incorporationDocFile: 'Documento de constituição',
    proofOfOwnershipDocFile: 'Comprovante da participação societária',
    owners: 'Sócios e administradores',
    tosId: 'Termos do parceiro',
  },
  hints: {
    firstName: 'Todos, em qualquer alfabeto.',
    dateOfBirth: 'Por exemplo, 31 1 1990.',
    formationDate: 'Por exemplo, 3 2 2001. Consta no registro.',
    phone: 'Com o código do país, como +55.',
    website: 'Sem site? Uma página pública de perfil serve.',
    stateProvinceRegion: 'Nos EUA, duas letras, como TX. Em branco onde não há.',
    postalCode: 'Deixe em branco em um país sem códigos postais.',
    taxType: 'Somente para quem paga impostos nos EUA.',
  },
  oneName: 'Tenho um só nome',
  theirOneName: 'Esta pessoa tem um só nome',
  taxIdKept: (masked) => `Temos ${masked}. Deixe vazio para manter.`,
  idDocTypes: {
    PASSPORT: 'Passaporte',
    ID_CARD: 'Carteira de identidade',
    DRIVERS: 'Carteira de motorista',
  },
  roles: {
    beneficial_owner: 'Possui 25% ou mais',
    controlling_person: 'Dirige a empresa, possui menos de 25%',
    beneficial_controlling: 'Possui 25% ou mais e dirige a empresa',
  },
  proofTypes: {
    UTILITY_BILL: 'Conta de luz, água, gás ou internet',
    BANK_STATEMENT: 'Extrato bancário',
    RENTAL_AGREEMENT: 'Contrato de aluguel',
    TAX_DOCUMENT: 'Documento fiscal',
    GOVERNMENT_CORRESPONDENCE: 'Carta de um órgão público',
  },
  taxTypes: { SSN: 'SSN', ITIN: 'ITIN' },
  enter: {
    firstName: 'Informe os nomes.',
    lastName: 'Informe os sobrenomes ou marque a caixa abaixo.',
    dateOfBirth: 'Informe a data de nascimento.',
    phone: 'Informe o telefone.',
    taxId: 'Informe o número fiscal.',
    idDocType: 'Escolha passaporte, carteira de identidade ou carteira de motorista.',
    idDocCountry: 'Escolha o país que emitiu o documento.',
    idDocNumber: 'Informe o número do documento.',
    legalName: 'Informe a razão social.',
    email: 'Informe o endereço de e‑mail.',
    cnpj: 'Informe o CNPJ.',
    formationDate: 'Informe a data de constituição.',
    website: 'Informe o site.',
    country: 'Escolha o país.',
    addressLine1: 'Informe rua e número.',
    city: 'Informe a cidade.',
    stateProvinceRegion: 'Informe o estado, a província ou a região.',
    postalCode: 'Informe o código postal.',
    role: 'Escolha a função na empresa.',
    proofOfAddressDocType: 'Escolha o comprovante de endereço.',
  },
  problems: {
    missing: 'Falta preencher.',
    too_short: 'É curto demais.',
    too_long: 'É longo demais.',
    control_characters: 'Há caracteres que não podem ser impressos. Digite de novo.',
    not_offered: 'Escolha uma opção da lista.',
    no_such_date: 'Esse dia não existe. Informe dia, mês e ano com quatro dígitos.',
    too_young: 'A pessoa deve ter 18 anos ou mais.',
    too_old: 'Confira o ano.',
    in_the_future: 'Esse dia está no futuro.',
    not_a_phone: 'Informe o código do país e o número, como +55 11 5555-0100.',
    not_a_website: 'Informe um endereço como www.exemplo.com.',
    not_a_state: 'Informe as duas letras do estado, como TX.',
    not_a_cnpj: 'Não é um CNPJ: confira os 14 caracteres.',
    ...emailTexts['pt-BR'],
  },
  correct: 'Algo aqui não foi aceito. Confira e salve de novo.',
  correctOther: 'Algo nos seus dados não foi aceito. Confira tudo e envie de novo.',
  correctElsewhere: (reason) =>
    `${reason} Este formulário não pede isso. Recebemos o aviso e entraremos em contato.`,
  owners: {
    heading: 'Quem possui e dirige a empresa?',
    lede: 'Todos os que possuem 25% ou mais, e uma pessoa que dirige a empresa.',
    who: 'Quem são os sócios e administradores?',
    whoText:
      'Uma pessoa com 25% ou mais das cotas, ações ou votos, diretamente ou por meio de outras ' +
      'empresas. Se não houver ninguém, informe apenas quem dirige a empresa.',
    none:
      'Ninguém foi informado ainda. Adicione ao menos uma pessoa: todos os que possuem 25% ou ' +
      'mais, e uma pessoa que dirige a empresa.',
    pages: {
      owner: '1 de 2: a pessoa',
      owner_papers: '2 de 2: número fiscal e documento de identidade',
    },
    sameAddress: 'Mora no endereço da empresa',
    nameless: (number) => `Pessoa ${number}`,
    add: 'Adicionar pessoa',
    edit: 'Abrir',
    complete: 'Completo',
    asked: (day) => <>Pedido em {day}, ainda não concluído</>,
    done: (day) => <>Concluído em {day}</>,
    whoFills: 'Quem preenche?',
    whoFillsText: (name) =>
      `Preencha abaixo ou peça a ${name} por e‑mail: você não precisa dos números e documentos.`,
    askHeading: (name) => `Pedir a ${name} por e‑mail`,
    askText:
      'Enviamos um link a essa pessoa. Ele vale por 7 dias e mostra só esta parte do formulário. ' +
      'Você vê que foi concluído, nunca os arquivos e números.',
    askWarning: 'O que você preencheu aqui além do nome e da função também é transferido.',
    email: 'E‑mail da pessoa',
    again: 'Enviar de novo',
    takeBack: 'Preencher aqui',
    takeBackText: 'O que essa pessoa preencheu é apagado.',
    self: {
      heading: (company) => `Seus dados para ${company}`,
      lede:
        'Você foi indicado como alguém que possui ou dirige esta empresa. Quem pediu vê que você ' +
        'terminou, e nada do que você informa aqui.',
      send: 'Enviar minha parte',
      sent: 'Obrigado. Sua parte está completa.',
      sentText:
        'Você pode fechar esta página. Até o envio do formulário inteiro, ainda pode mudar algo.',
      documents: 'Seus documentos',
      change: 'Mudar algo',
    },
  },
  documents: {
    formats: (types, size) => `${types}, até ${size}`,
    hints: {
      selfieFile: 'Tirada agora, olhando para a câmera, sem óculos ou chapéu.',
      idDocFrontFile: 'Os quatro cantos, sem reflexo, todas as linhas legíveis.',
      idDocBackFile: 'Os quatro cantos, sem reflexo, todas as linhas legíveis.',
      proofOfAddressDocFile: 'Com nome e endereço, dos últimos 3 meses.',
      incorporationDocFile: 'Contrato social ou certidão com nome, data e número de registro.',
      proofOfOwnershipDocFile:
        'Mostra quem tem qual participação: registro de acionistas, quadro societário ou contrato.',
    },
    fronts: {
      PASSPORT: 'Passaporte, página com foto',
      ID_CARD: 'Carteira de identidade, frente',
      DRIVERS: 'Carteira de motorista, frente',
    },
    backs: { ID_CARD: 'Carteira de identidade, verso', DRIVERS: 'Carteira de motorista, verso' },
    received: 'Recebido',
    missing: 'Falta',
    refused: 'Não aceito',
    add: 'Adicionar foto ou PDF',
    drop: 'ou solte um arquivo aqui',
    replaceBy: 'Escolher foto ou PDF',
    replace: 'Substituir',
    remove: 'Remover',
    of: (file, name) => `${file} de ${name}`,
    why: 'Por que isso é necessário?',
    whyText:
      'Nosso parceiro de liquidação precisa saber quem paga e a quem pertence quem paga, por ' +
      'regras contra a lavagem de dinheiro. Os arquivos são criptografados, vistos somente por ' +
      'quem faz a verificação no parceiro, e apagados após a decisão.',
    off: 'Não é possível enviar arquivos nesta página. Peça outro meio à organização abaixo.',
    waits: (name) => `${name} envia os documentos por um link. Você vê quando concluir.`,
    refusals: {
      empty: 'Escolha primeiro um arquivo. O que chegou está vazio.',
      heic:
        'Esta foto está no formato HEIC do iPhone, que não pode ser lido em todo lugar. No ' +
        'iPhone escolha Ajustes, Câmera, Formatos, Mais Compatível e tire de novo, ou faça uma ' +
        'captura de tela da foto.',
      unknown_type: 'Este arquivo não é JPEG, PNG nem PDF. Tire uma foto do documento.',
      not_as_declared:
        'O nome do arquivo não combina com o conteúdo. Salve de novo como PDF ou JPEG.',
      photo_only: 'Deve ser uma foto, não outro tipo de arquivo: JPEG ou PNG.',
      too_large: 'Este arquivo é grande demais. Tire uma foto com resolução menor.',
      too_many: 'Arquivos demais em pouco tempo. Espere alguns minutos e tente de novo.',
    },
  },
  phone: {
    heading: 'Tirar fotos com o celular',
    lede: 'Aponte a câmera do celular para este código. Abre uma página que só recebe arquivos.',
    memberLede: 'Aponte a câmera do celular para este código e entre também por lá.',
    alt: 'Código QR com o link',
    life: 'O código vale uma vez, por 10 minutos.',
    back: 'Voltar aos documentos',
    again: 'Criar outro código',
    over: 'Este código não funciona mais',
    endedText: 'Ele foi usado ou passaram 10 minutos. Crie outro no seu computador.',
    enter: 'Enviar arquivos deste celular?',
    enterText:
      'A página recebe arquivos para o formulário no seu computador e não mostra mais nada.',
    formOf: 'Formulário de',
    askedBy: 'Solicitado por',
    paymentTo: 'Para um pagamento a',
    notYours: (org) =>
      `Não é o seu formulário? Feche esta página, não envie arquivos e avise ${org}.`,
    uploads: 'Envie seus arquivos',
    uploadsLede: 'Eles aparecem no seu computador. Feche esta página quando terminar.',
  },
  terms: {
    heading: 'Termos do parceiro de liquidação',
    lede: 'O parceiro que verifica seus dados pede que você aceite os termos na página dele.',
    open: 'Ler os termos',
    leaves: 'Você sai desta página e volta a ela.',
    accepted: 'Você aceitou os termos.',
  },
  review: {
    lede: 'Nada é enviado antes de você apertar o botão.',
    changeOf: (what) => `Alterar: ${what}`,
    none: '–',
    filledBy: (email) => <>Preenchido por {email}</>,
    toDo: 'Antes de enviar',
    who: 'Quem vê isso, e por quanto tempo',
    whoText: (org) =>
      `Nosso parceiro de liquidação verifica estes dados. ${org} recebe o resultado e não vê ` +
      'arquivos. Guardamos seus dados criptografados até a decisão do parceiro e depois os ' +
      'apagamos. O parceiro guarda o que a lei exige dele.',
    send: 'Enviar para verificação',
  },
  ask: {
    heading: (org) => `${org} pergunta quem é você`,
    lede: 'Entre para preencher o formulário. Leva cerca de 10 minutos.',
    owner: 'Pediram que você inclua seus dados em um formulário. Entre com um link para isso.',
    sendHint: 'Ele vai para o endereço que recebeu o primeiro e‑mail.',
  },
} satisfies KycTexts;
