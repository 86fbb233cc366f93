<?php
/**
 * Stamps and letters.
 *
 * @file
 */

declare(strict_types=1);

namespace Post\Office;

use Post\Paper\Envelope;
use function Post\weigh;

const OPEN = 'open';

/** Sends letters. */
interface Sender
{
    const SPEED = 3;

    public function send(Letter $letter, int $times = 1): bool;
}

trait Stamped
{
    protected ?string $stamp = null;

    public function stamp(string $stamp): static
    {
        $this->stamp = $stamp;
        return $this;
    }
}

/**
 * A letter to somebody.
 */
#[Attribute]
final class Letter extends Paper implements Sender, \Countable
{
    use Stamped;

    public const MAX_PAGES = 10;
    private int $secret = 1;
    public readonly string $to;
    public static array $all = [];

    /** Writes a letter. */
    public function __construct(
        private string $from,
        public string $subject = '',
    ) {
        $this->to = $from;
    }

    public function send(Letter $letter, int $times = 1): bool
    {
        $inner = function () {
            return 1;
        };
        return true;
    }

    public static function of(string ...$lines): self
    {
        return new self('');
    }

    abstract protected function pages(): int;

    private function hide(): void
    {
    }
}

enum Size: string
{
    case Small = 's';
    case Large = 'l';

    public function price(): int
    {
        return 1;
    }
}

/** Counts letters. */
function count_letters(array $letters, ?int &$total = null): int
{
    return 0;
}

class Stamp {
    public private(set) int $value = 1;
    private int $worn = 0;
    public string $text {
        get => $this->value . 'c';
        set(string $text) { $this->value = (int) $text; }
    }
}
