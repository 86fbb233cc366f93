// Trains and their timetable.

using System;
using System.Collections.Generic;
using Rails = Example.Rails;

namespace Example.Trains
{
    /// <summary>A train on its way.</summary>
    [Serializable]
    public abstract class Train<T> : Vehicle, IComparable<Train<T>> where T : class, new()
    {
        public const int MaxWagons = 20;
        private readonly int secret;
        protected static string Prefix = "T";
        public event EventHandler? Arrived;

        /// <summary>Where it goes.</summary>
        public string Target { get; private set; } = "";
        public int Wagons => 3;
        public int Seats
        {
            get;
            set;
        }
        public string this[int index]
        {
            get { return "x"; }
        }

        public Train(string target, int wagons = 1) : base(target)
        {
            Target = target;
        }

        /// <summary>Leaves the station.</summary>
        public async Task<bool> LeaveAsync(
            DateTime at,
            params string[] stops)
        {
            await Task.Delay(1);
            return true;
        }

        public abstract double Speed();

        public static Train<T> operator +(Train<T> a, Wagon b) => a;

        private void Hide() { }

        internal void Couple(Wagon wagon) { }
    }

    public interface ISignal
    {
        bool IsRed { get; }
        void Switch(int delay);
    }

    public enum Gauge
    {
        Narrow = 1000,
        Normal = 1435,
    }

    public record Stop(string Name, TimeSpan Wait);

    public struct Ticket
    {
        public int Zone;
        public decimal Price() => 1;
    }

    public delegate void Whistle(int times);

    internal static class Helpers
    {
        public static int Twice(this int number) => number * 2;
    }
}
