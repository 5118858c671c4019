<?php
// Client of the Ponte API, in one file, with PHP's own functions alone (8.1 or later).
//
//     require 'ponte.php';
//     $ponte = new Ponte\Client('https://api.example.com', apiKey: 'pk_test_…');
//     $buyer = ['email' => 'ana@buyer.example'];
//     $ponte->createPaymentIntent(['externalId' => '1', 'amount' => '250.00', 'buyer' => $buyer]);
//     foreach ($ponte->iteratePayments(status: 'settled') as $payment) { … }
//
// Names of fields are those of the API. A body is an object of its class or an array; what is null
// in an object is not sent. Made from the route table of the service: /docs/clients/ponte.php.

declare(strict_types=1);

namespace Ponte;

const TOLERANCE_SECONDS = 300;

/** The service refused a request. Decide on `error`; without an answer a NoAnswer is thrown. */
final class Refused extends \RuntimeException
{
    public readonly string $error;
    public readonly ?int $retryAfter;

    /** @param array<string, mixed> $body */
    public function __construct(
        public readonly int $status,
        public readonly array $body,
        public readonly ?string $requestId,
    ) {
        $this->error = (string) ($body['error'] ?? 'UnknownError');
        $this->retryAfter = isset($body['retryAfter']) ? (int) $body['retryAfter'] : null;
        $message = $body['message'] ?? "Status $status, and no message of the service.";
        parent::__construct("$this->error: $message");
    }
}

/** No complete answer arrived: what happened is not known. */
final class NoAnswer extends \RuntimeException
{
}

/** A request that was not signed with the secret of the subscription, or not now. */
final class InvalidWebhook extends \RuntimeException
{
}

/**
 * The parsed webhook. `$body`: the raw bytes. Takes X-Service-Signature, else the headers of Standard
 * Webhooks. Drop duplicates by X-Service-Delivery-Id. InvalidWebhook.
 *
 * @param array<string, string|list<string>> $headers as getallheaders() gives them
 * @return array<string, mixed>
 */
function verifyWebhook(string $secret, array $headers, string $body, ?int $now = null): array
{
    $secret = pasted($secret);
    if ($secret === '') {
        throw new InvalidWebhook('missing secret');
    }
    $found = [];
    foreach ($headers as $name => $value) {
        $found[strtolower((string) $name)] = is_array($value) ? implode(',', $value) : $value;
    }
    $given = [];
    if (isset($found['x-service-signature'])) {
        $times = [];
        foreach (explode(',', $found['x-service-signature']) as $item) {
            [$name, $value] = explode('=', trim($item), 2) + [1 => ''];
            if ($name === 't') {
                $times[] = $value;
            } elseif ($name === 'v1') {
                $given[] = strtolower($value);
            }
        }
        if (count($times) !== 1 || $given === []) {
            throw new InvalidWebhook('malformed header');
        }
        $sent = $times[0];
        $expected = hash_hmac('sha256', "$sent.$body", $secret);
    } elseif (isset($found['webhook-signature'])) {
        $sent = $found['webhook-timestamp'] ?? '';
        $key = (string) base64_decode(preg_replace('/^whsec_/', '', $secret) ?? '');
        $text = ($found['webhook-id'] ?? '') . ".$sent.$body";
        $expected = base64_encode(hash_hmac('sha256', $text, $key, true));
        foreach (explode(' ', $found['webhook-signature']) as $one) {
            if (str_starts_with($one, 'v1,')) {
                $given[] = substr($one, 3);
            }
        }
    } else {
        throw new InvalidWebhook('missing header');
    }
    if (preg_match('/^[0-9]{1,15}$/D', $sent) !== 1) {
        throw new InvalidWebhook('malformed header');
    }
    if (abs(($now ?? time()) - (int) $sent) > TOLERANCE_SECONDS) {
        throw new InvalidWebhook('timestamp outside the tolerance');
    }
    foreach ($given as $one) {
        if (hash_equals($expected, $one)) {
            return json_decode($body, true, 512, JSON_THROW_ON_ERROR);
        }
    }
    throw new InvalidWebhook('signature mismatch');
}

/** Blanks, line ends and quotes around a secret do not count. */
function pasted(string $secret): string
{
    $text = trim($secret);
    return preg_match('/^(["\'])(.*)\1$/sD', $text, $found) === 1 ? trim($found[2]) : $text;
}

abstract class Model implements \JsonSerializable
{
    /** Fields that are objects in JSON, also where PHP has an empty array. */
    protected const MAPS = [];

    /** @return object the fields that are not null */
    public function jsonSerialize(): object
    {
        $given = array_filter(get_object_vars($this), fn ($value) => $value !== null);
        $maps = array_intersect_key($given, array_flip(static::MAPS));
        return (object) array_merge($given, array_map(fn ($map) => (object) $map, $maps));
    }
}

// MODELS

/**
 * Safe requests are sent up to `attemptsMax` times: reads, deletes and creates after network errors,
 * time-outs and 5xx; any request that was refused with a `retryAfter`, after that time. Each create
 * has an Idempotency-Key, the same on every attempt. Send your own to be safe against crashes of
 * your process too.
 */
class Client
{
    private readonly string $baseUrl;
    private readonly string $credential;

    public function __construct(
        string $baseUrl,
        ?string $apiKey = null,
        ?string $token = null,
        private readonly float $timeout = 40,
        private readonly int $attemptsMax = 4,
    ) {
        $url = preg_replace('#(/v1)?/*$#D', '', rtrim(trim($baseUrl), '/')) ?? '';
        if (preg_match('#^https?://[^\s?\#]+$#iD', $url) !== 1) {
            throw new \ValueError('baseUrl: must be a URL such as https://api.example.com.');
        }
        $secret = pasted($apiKey ?? $token ?? '');
        if (preg_match('/^[!-~]+$/D', $secret) !== 1) {
            $message = 'apiKey or token: is empty, or has blanks or other signs within it.';
            throw new \ValueError($message);
        }
        $this->baseUrl = $url;
        $this->credential = $apiKey === null ? "Authorization: Bearer $secret" : "X-API-Key: $secret";
    }

    /**
     * The JSON of the answer. Refused, NoAnswer.
     *
     * @param array<string, mixed> $query
     * @param array<string, mixed>|\JsonSerializable|null $body
     */
    public function request(
        string $method,
        string $path,
        array $query = [],
        array|\JsonSerializable|null $body = null,
        ?string $idempotencyKey = null,
    ): mixed {
        $asked = [];
        foreach (array_filter($query, fn ($value) => $value !== null) as $name => $value) {
            $asked[$name] = is_bool($value) ? ($value ? 'true' : 'false') : (string) $value;
        }
        $url = $this->baseUrl . $path . ($asked === [] ? '' : '?' . http_build_query($asked));
        $headers = [$this->credential, 'Accept: application/json', 'Connection: close'];
        $content = '';
        if (in_array($method, ['POST', 'PUT', 'PATCH'], true)) {
            $headers[] = 'Content-Type: application/json';
            $flags = JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES;
            $content = json_encode($body === null || $body === [] ? (object) [] : $body, $flags);
        }
        if ($idempotencyKey !== null) {
            $headers[] = "Idempotency-Key: $idempotencyKey";
        }
        $safe = in_array($method, ['GET', 'PUT', 'DELETE'], true) || $idempotencyKey !== null;
        for ($attempt = 1; ; $attempt += 1) {
            $last = $attempt >= $this->attemptsMax;
            try {
                [$status, $answered, $text] = $this->send($method, $url, $headers, $content);
                $answer = json_decode($text, true);
                if ($status < 300 && $status !== 204 && !is_array($answer)) {
                    throw new NoAnswer('the answer is not JSON: is baseUrl the service?');
                }
            } catch (NoAnswer $lost) {
                if ($last || !$safe) {
                    throw $lost;
                }
                self::pause(self::backoff($attempt));
                continue;
            }
            if ($status < 300) {
                return $answer;
            }
            $body = is_array($answer) ? $answer : [];
            $wait = $last ? null : self::waitAfter($status, $answered, $body, $safe, $attempt);
            if ($wait === null) {
                throw new Refused($status, $body, $answered['x-request-id'] ?? null);
            }
            self::pause($wait);
        }
    }

    /**
     * @param list<string> $headers
     * @return array{int, array<string, string>, string}
     */
    private function send(string $method, string $url, array $headers, string $content): array
    {
        $http = [
            'method' => $method,
            'header' => implode("\r\n", $headers),
            'user_agent' => 'ponte-php',
            'protocol_version' => 1.1,
            'timeout' => $this->timeout,
            'ignore_errors' => true,
            // The service never redirects; a credential must not follow a redirect.
            'follow_location' => 0,
        ] + ($content === '' ? [] : ['content' => $content]);
        $stream = @fopen($url, 'rb', false, stream_context_create(['http' => $http]));
        if ($stream === false) {
            throw new NoAnswer(error_get_last()['message'] ?? 'no connection');
        }
        $lines = stream_get_meta_data($stream)['wrapper_data'] ?? [];
        $text = stream_get_contents($stream);
        $isLate = stream_get_meta_data($stream)['timed_out'];
        fclose($stream);
        $answered = [];
        foreach (array_slice($lines, 1) as $line) {
            [$name, $value] = explode(':', $line, 2) + [1 => ''];
            $answered[strtolower($name)] = trim($value);
        }
        $length = $answered['content-length'] ?? null;
        $isCut = $length !== null && (int) $length !== strlen((string) $text);
        if ($text === false || $isLate || $isCut) {
            throw new NoAnswer('the answer is incomplete');
        }
        return [(int) (explode(' ', $lines[0] ?? '')[1] ?? 0), $answered, $text];
    }

    /**
     * The wait before the next attempt in seconds; null if this answer is final.
     *
     * @param array<string, string> $headers
     * @param array<string, mixed> $body
     */
    private static function waitAfter(
        int $status,
        array $headers,
        array $body,
        bool $safe,
        int $attempt,
    ): ?float {
        if ($status !== 429 && $status < 500) {
            return null;
        }
        // The service sends retryAfter only if it changed nothing. The header may be a proxy's.
        $seconds = $body['retryAfter'] ?? null;
        if (!is_numeric($seconds) && ($safe || $status === 429)) {
            $seconds = $headers['retry-after'] ?? null;
        }
        if (is_numeric($seconds)) {
            return $seconds > 60 ? null : max(0.0, (float) $seconds);
        }
        return $safe ? self::backoff($attempt) : null;
    }

    private static function backoff(int $attempt): float
    {
        return 0.25 * 2 ** ($attempt - 1) * (0.5 + random_int(0, 500) / 1000);
    }

    private static function pause(float $seconds): void
    {
        usleep((int) ($seconds * 1_000_000));
    }

    private static function newKey(): string
    {
        return bin2hex(random_bytes(16));
    }

    /** @param array<string, mixed> $query */
    private function rows(\Closure $read, array $query, string $asks, string $next): \Generator
    {
        do {
            $page = $read(...$query);
            $before = $query[$asks] ?? null;
            $query[$asks] = $page->$next;
            foreach ($page->data as $row) {
                yield $row;
            }
        } while ($query[$asks] !== null && $query[$asks] !== $before);
    }

    /**
     * Each event with its epoch as `[$event, $epoch]`, as it arrives, without an end. Store `sequence`
     * and epoch, and continue from them. `$after`: your last sequence, 0, or `latest`. Refused.
     *
     * @param list<string>|null $eventTypes
     * @return \Generator<int, array{FeedEvent, int}>
     */
    public function events(
        int|string $after,
        ?int $epoch = null,
        ?array $eventTypes = null,
    ): \Generator {
        $types = $eventTypes === null ? null : implode(',', $eventTypes);
        while (true) {
            $wait = $after === 'latest' ? 0 : 30;
            $query = ['after' => $after, 'epoch' => $epoch, 'eventTypes' => $types, 'wait' => $wait];
            $page = Feed::read($this->request('GET', '/v1/events', $query));
            foreach ($page->data as $event) {
                yield [$event, $page->epoch];
            }
            [$after, $epoch] = [$page->nextAfter, $page->epoch];
        }
    }

    // OPERATIONS
}
