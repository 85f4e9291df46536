package io.github.distlock.benchmarks.workers;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/**
 * When cycles asked for one hot lock and when they entered, to see who overtook whom.
 * Those of a busy slice are written down from its beginning on, as many as there is room
 * for.
 *
 * @param list the passages
 * @param until up to which entry the list is complete, in microseconds
 */
public record Passages(List<Passage> list, long until) {

	/** How many a worker writes down in a slice. */
	static final int ROOM = 20_000;

	/** One that asked this much later has overtaken; less is the noise of two clocks. */
	private static final long TOLERANCE_MICROS = 1000;

	/**
	 * Return which share of the passages overtook one that had waited longer by a
	 * millisecond or more.
	 * @param holders how many may be inside at once. Threads that enter together start in
	 * any order, so of passages that are closer than this none has overtaken another
	 * @return between 0 and 1
	 */
	public double overtaking(int holders) {
		List<Passage> inOrder = this.list.stream()
			.filter((passage) -> passage.entered() <= this.until)
			.sorted(Comparator.comparingLong(Passage::entered))
			.toList();
		long earliestLater = Long.MAX_VALUE;
		long overtaking = 0;
		for (int i = inOrder.size() - 1 - holders; i >= 0; i--) {
			earliestLater = Math.min(earliestLater, inOrder.get(i + holders).asked());
			if (inOrder.get(i).asked() - TOLERANCE_MICROS > earliestLater) {
				overtaking++;
			}
		}
		return inOrder.isEmpty() ? 0 : (double) overtaking / inOrder.size();
	}

	static Passages of(List<Passages> several) {
		List<Passage> all = new ArrayList<>();
		several.forEach((passages) -> all.addAll(passages.list()));
		return new Passages(all, several.stream().mapToLong(Passages::until).min().orElse(Long.MAX_VALUE));
	}

	String encode() {
		return this.until + this.list.stream()
			.map((passage) -> "," + passage.asked() + ":" + passage.entered())
			.collect(Collectors.joining());
	}

	static Passages decode(String text) {
		String[] words = text.split(",");
		return new Passages(
				Arrays.stream(words).skip(1).map(Passage::decode).collect(Collectors.toCollection(ArrayList::new)),
				Long.parseLong(words[0]));
	}

	/**
	 * One cycle.
	 *
	 * @param asked when it asked for the lock, in microseconds since the slice began
	 * @param entered when it had it
	 */
	public record Passage(long asked, long entered) {

		static Passage decode(String text) {
			int colon = text.indexOf(':');
			return new Passage(Long.parseLong(text.substring(0, colon)), Long.parseLong(text.substring(colon + 1)));
		}

	}

}
