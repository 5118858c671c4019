<?php
// A whole integration, beside ponte.php: it creates payments, receives webhooks and catches up by the
// event feed. `ponte certify` plays 24 faults against it:
//
//     ponte certify --receiver http://127.0.0.1:3000/webhooks --probe http://127.0.0.1:3000/probe \
//         -- php -S 127.0.0.1:3000 integration.php
//
// It is started with PONTE_URL, PONTE_KEY and WEBHOOK_SECRET.

declare(strict_types=1);

require __DIR__ . '/ponte.php';

/**
 * A real shop has a database: an event is stored in the transaction of its effect. Here it is a file
 * that one request at a time has. Webhooks wait in `inbox` and are answered; a worker runs the rest.
 */
final class Shop
{
    /** @var array<string, array{state: string, effects: int, settled: ?string}> */
    public array $orders = [];
    /** @var array<string, true> */
    public array $seen = [];
    /** @var list<array{string, string, string}> */
    public array $inbox = [];
    public int $after = 0;
    public ?int $epoch = null;
    /** Two for the time of a rotation. @var list<string> */
    public array $secrets = [];

    public function __construct(private readonly Ponte\Client $ponte)
    {
        $this->secrets = [(string) getenv('WEBHOOK_SECRET')];
    }

    /** Runs `$work` on the stored shop, and stores it. */
    public static function open(callable $work): mixed
    {
        $ponte = new Ponte\Client((string) getenv('PONTE_URL'), apiKey: (string) getenv('PONTE_KEY'));
        $shop = new self($ponte);
        $file = fopen(sys_get_temp_dir() . '/ponte-shop-' . getmypid(), 'c+');
        flock($file, LOCK_EX);
        foreach (json_decode((string) stream_get_contents($file), true) ?? [] as $field => $value) {
            $shop->$field = $value;
        }
        try {
            return $work($shop);
        } finally {
            $kept = array_diff_key(get_object_vars($shop), ['ponte' => 1]);
            ftruncate($file, 0);
            rewind($file);
            fwrite($file, json_encode($kept, JSON_THROW_ON_ERROR));
            fclose($file);
        }
    }

    /** @param array<string, string> $headers */
    public function receive(array $headers, string $body): void
    {
        foreach ($this->secrets as $secret) {
            try {
                $webhook = Ponte\verifyWebhook($secret, $headers, $body);
                break;
            } catch (Ponte\InvalidWebhook) {
            }
        }
        $data = ($webhook ?? throw new Ponte\InvalidWebhook('no secret fits'))['data'];
        // webhook.test is about no payment. The feed has the same event: its id counts.
        if (isset($data['externalId'])) {
            $this->inbox[] = [$data['externalEventId'], $webhook['event'], $data['externalId']];
        }
    }

    public function work(): void
    {
        while ($this->inbox !== []) {
            [$id, $type, $name] = $this->inbox[0];
            if (!isset($this->seen[$id])) {
                $this->handle($type, $name);
            }
            $this->seen[$id] = true;
            array_shift($this->inbox);
        }
    }

    private function handle(string $type, string $name): void
    {
        $order = &$this->order($name);
        if ($type === 'payment_intent.settled') {
            $this->settle($name);
        }
        if (preg_match('/\.(failed|cancelled|expired)$/', $type) && $order['state'] === 'open') {
            $order['state'] = 'ended';
        }
        // The seller does not have the money: a person decides.
        if ($type === 'payment_intent.payout_returned') {
            $order['state'] = 'review';
        }
    }

    /** The payment says what was settled, not an event or an older quote. */
    private function settle(string $name): void
    {
        $order = &$this->order($name);
        try {
            $payment = $this->ponte->readPayment("ext_$name");
        } catch (Ponte\Refused $refused) {
            // Its create failed.
            if ($refused->error === 'NotFound') {
                return;
            }
            throw $refused;
        }
        // Read again after a reset, it may have counted before its event comes.
        if ($payment->status === 'settled' && !in_array($order['state'], ['paid', 'review'], true)) {
            $order['state'] = 'paid';
            $order['settled'] = $payment->brlSettledAmount;
            $order['effects'] += 1;
        }
    }

    public function create(string $name, string $amount, string $email): void
    {
        $this->order($name);
        $body = ['externalId' => $name, 'amount' => $amount, 'buyer' => ['email' => $email]];
        // The client repeats it with the same key.
        $this->ponte->createPaymentIntent($body, idempotencyKey: $name);
    }

    public function catchUp(): void
    {
        for (;;) {
            try {
                $page = $this->ponte->readEvents(after: $this->after, epoch: $this->epoch);
            } catch (Ponte\Refused $refused) {
                $this->moved($refused);
                continue;
            }
            foreach ($page->data as $event) {
                if (isset($event->data['externalId'])) {
                    $this->inbox[] = [$event->id, $event->event, $event->data['externalId']];
                }
            }
            [$this->after, $this->epoch] = [$page->nextAfter, $page->epoch];
            if ($page->data === []) {
                return;
            }
        }
    }

    /** The feed begins elsewhere than where this shop is. */
    private function moved(Ponte\Refused $refused): void
    {
        if ($refused->error === 'EventsPruned') {
            $this->after = $refused->body['oldestSequence'] - 1;
        } elseif ($refused->error === 'FeedReset') {
            // Events of the old feed may be missing: the payments themselves are read again.
            foreach (array_keys($this->orders) as $name) {
                if ($this->orders[$name]['state'] === 'open') {
                    $this->settle((string) $name);
                }
            }
            $this->after = $refused->body['lastSequence'];
            $this->epoch = $refused->body['epoch'];
        } else {
            throw $refused;
        }
    }

    /** @return array{state: string, effects: int, settled: ?string} */
    public function &order(string $name): array
    {
        $this->orders[$name] ??= ['state' => 'open', 'effects' => 0, 'settled' => null];
        return $this->orders[$name];
    }
}

/** Test mode only: what `ponte certify` asks for. */
function asked(Shop $shop, array $body): void
{
    match ($body['do']) {
        'create' => $shop->create($body['order'], $body['amount'], $body['email']),
        'catch-up' => $shop->catchUp(),
        'secret' => $shop->secrets = [$body['secret']],
    };
}

try {
    $body = (string) file_get_contents('php://input');
    $path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
    $answer = Shop::open(function (Shop $shop) use ($body, $path): array {
        if ($path === '/webhooks') {
            $shop->receive(getallheaders(), $body);
            return [];
        }
        if ($_SERVER['REQUEST_METHOD'] === 'POST') {
            asked($shop, json_decode($body, true, 512, JSON_THROW_ON_ERROR));
        }
        $shop->work();
        return $shop->order($_GET['order'] ?? '');
    });
    echo json_encode($answer, JSON_THROW_ON_ERROR);
} catch (Ponte\InvalidWebhook $refused) {
    http_response_code(400);
    echo $refused->getMessage();
} catch (Ponte\Refused | Ponte\NoAnswer $failed) {
    http_response_code(500);
    echo $failed->getMessage();
}
