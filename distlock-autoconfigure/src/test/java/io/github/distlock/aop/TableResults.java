package io.github.distlock.aop;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.distlock.DistributedLock;
import io.github.distlock.OnFailure;
import org.jspecify.annotations.Nullable;

/**
 * Locked methods of all kinds of results.
 */
final class TableResults {

	/** The result of fallbacks and handlers. */
	static final Map<Class<?>, Object> OTHERS = Map.of(int.class, 7, String.class, "other", List.class,
			List.of("other"));

	private TableResults() {
	}

	@DistributedLock(key = "'k'", onFailure = OnFailure.SKIP)
	interface Skippable {

		default void voidResult() {
			throw new IllegalStateException("ran");
		}

		default @Nullable Integer integerResult() {
			return 1;
		}

		default @Nullable Boolean booleanResult() {
			return true;
		}

		default @Nullable String stringResult() {
			return "ran";
		}

		default @Nullable Object objectResult() {
			return "ran";
		}

		default Optional<String> optionalResult() {
			return Optional.of("ran");
		}

		default OptionalInt optionalIntResult() {
			return OptionalInt.of(1);
		}

		default OptionalLong optionalLongResult() {
			return OptionalLong.of(1);
		}

		default OptionalDouble optionalDoubleResult() {
			return OptionalDouble.of(1);
		}

		default Iterable<String> iterableResult() {
			return List.of("ran");
		}

		default Iterator<String> iteratorResult() {
			return List.of("ran").iterator();
		}

		default Collection<String> collectionResult() {
			return List.of("ran");
		}

		default List<String> listResult() {
			return List.of("ran");
		}

		default Set<String> setResult() {
			return Set.of("ran");
		}

		default SortedSet<String> sortedSetResult() {
			return new TreeSet<>(List.of("ran"));
		}

		default Queue<String> queueResult() {
			return new ArrayDeque<>(List.of("ran"));
		}

		default Deque<String> dequeResult() {
			return new ArrayDeque<>(List.of("ran"));
		}

		default ArrayList<String> arrayListResult() {
			return new ArrayList<>(List.of("ran"));
		}

		default Map<String, String> mapResult() {
			return Map.of("ran", "ran");
		}

		default SortedMap<String, String> sortedMapResult() {
			return new TreeMap<>(Map.of("ran", "ran"));
		}

		default TreeMap<String, String> treeMapResult() {
			return new TreeMap<>(Map.of("ran", "ran"));
		}

		default Stream<String> streamResult() {
			return Stream.of("ran");
		}

		default IntStream intStreamResult() {
			return IntStream.of(1);
		}

		default String[] stringsResult() {
			return new String[] { "ran" };
		}

		default int[] intsResult() {
			return new int[] { 1 };
		}

	}

	static class Skipping implements Skippable {

	}

	@DistributedLock("'k'")
	interface Few {

		default void voidResult() {
		}

		default int intResult() {
			return 1;
		}

		default String stringResult() {
			return "ran";
		}

		default Optional<String> optionalResult() {
			return Optional.of("ran");
		}

		default List<String> listResult() {
			return List.of("ran");
		}

	}

	static class Plain implements Few {

	}

	static class FallingBack extends Plain implements Few {

		@Override
		@DistributedLock(key = "'k'", fallback = "otherVoid")
		public void voidResult() {
			throw new IllegalStateException("ran");
		}

		private void otherVoid() {
		}

		@Override
		@DistributedLock(key = "'k'", fallback = "otherInt")
		public int intResult() {
			return 1;
		}

		private int otherInt() {
			return 7;
		}

		@Override
		@DistributedLock(key = "'k'", fallback = "otherString")
		public String stringResult() {
			return "ran";
		}

		private String otherString() {
			return "other";
		}

		@Override
		@DistributedLock(key = "'k'", fallback = "otherList")
		public List<String> listResult() {
			return List.of("ran");
		}

		private List<String> otherList() {
			return List.of("other");
		}

	}

	static class RefusedInt {

		@DistributedLock(onFailure = OnFailure.SKIP)
		public int run() {
			return 1;
		}

	}

	static class RefusedBoolean {

		@DistributedLock(onFailure = OnFailure.SKIP)
		public boolean run() {
			return true;
		}

	}

	static class RefusedEnumSet {

		@DistributedLock(onFailure = OnFailure.SKIP)
		public EnumSet<TimeUnit> run() {
			return EnumSet.allOf(TimeUnit.class);
		}

	}

}
