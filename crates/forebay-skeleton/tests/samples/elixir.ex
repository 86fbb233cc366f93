# Mail between islands.

defmodule Islands.Mail do
  @moduledoc """
  Carries letters by boat.
  """

  use GenServer
  alias Islands.Boat
  import Islands.Weather, only: [calm?: 1]

  @behaviour Islands.Carrier
  @max_letters 20

  @type letter :: %{to: String.t(), text: String.t()}
  @typep secret :: integer()
  @callback deliver(letter()) :: :ok | {:error, term()}

  defstruct [:name, letters: []]

  @doc """
  Sends a letter.

  It takes a day.
  """
  @spec send_letter(letter(), keyword()) :: :ok
  def send_letter(letter, opts \\ [])

  def send_letter(%{to: to}, opts) when is_list(opts) do
    inner = to
    {:ok, inner}
  end

  def count(mail), do: length(mail.letters)

  defp hidden(x) do
    x
  end

  defmacro route(name, do: block) do
    quote do: unquote(block)
  end

  defguard is_full(n) when n > @max_letters

  defmodule Stamp do
    def price, do: 1
  end
end

defprotocol Islands.Readable do
  def read(letter)
end

defimpl Islands.Readable, for: Map do
  def read(letter), do: letter.text
end
