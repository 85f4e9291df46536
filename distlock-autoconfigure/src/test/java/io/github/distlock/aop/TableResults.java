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

	interface Skippable {

		void voidResult();

		@Nullable Integer integerResult();

		@Nullable Boolean booleanResult();

		@Nullable String stringResult();

		@Nullable Object objectResult();

		Optional<String> optionalResult();

		OptionalInt optionalIntResult();

		OptionalLong optionalLongResult();

		OptionalDouble optionalDoubleResult();

		Iterable<String> iterableResult();

		Iterator<String> iteratorResult();

		Collection<String> collectionResult();

		List<String> listResult();

		Set<String> setResult();

		SortedSet<String> sortedSetResult();

		Queue<String> queueResult();

		Deque<String> dequeResult();

		ArrayList<String> arrayListResult();

		Map<String, String> mapResult();

		SortedMap<String, String> sortedMapResult();

		TreeMap<String, String> treeMapResult();

		Stream<String> streamResult();

		IntStream intStreamResult();

		String[] stringsResult();

		int[] intsResult();

	}

	@DistributedLock(key = "'k'", onFailure = OnFailure.SKIP)
	static class Skipping implements Skippable {

		@Override
		public void voidResult() {
			throw new IllegalStateException("ran");
		}

		@Override
		public @Nullable Integer integerResult() {
			return 1;
		}

		@Override
		public @Nullable Boolean booleanResult() {
			return true;
		}

		@Override
		public @Nullable String stringResult() {
			return "ran";
		}

		@Override
		public @Nullable Object objectResult() {
			return "ran";
		}

		@Override
		public Optional<String> optionalResult() {
			return Optional.of("ran");
		}

		@Override
		public OptionalInt optionalIntResult() {
			return OptionalInt.of(1);
		}

		@Override
		public OptionalLong optionalLongResult() {
			return OptionalLong.of(1);
		}

		@Override
		public OptionalDouble optionalDoubleResult() {
			return OptionalDouble.of(1);
		}

		@Override
		public Iterable<String> iterableResult() {
			return List.of("ran");
		}

		@Override
		public Iterator<String> iteratorResult() {
			return List.of("ran").iterator();
		}

		@Override
		public Collection<String> collectionResult() {
			return List.of("ran");
		}

		@Override
		public List<String> listResult() {
			return List.of("ran");
		}

		@Override
		public Set<String> setResult() {
			return Set.of("ran");
		}

		@Override
		public SortedSet<String> sortedSetResult() {
			return new TreeSet<>(List.of("ran"));
		}

		@Override
		public Queue<String> queueResult() {
			return new ArrayDeque<>(List.of("ran"));
		}

		@Override
		public Deque<String> dequeResult() {
			return new ArrayDeque<>(List.of("ran"));
		}

		@Override
		public ArrayList<String> arrayListResult() {
			return new ArrayList<>(List.of("ran"));
		}

		@Override
		public Map<String, String> mapResult() {
			return Map.of("ran", "ran");
		}

		@Override
		public SortedMap<String, String> sortedMapResult() {
			return new TreeMap<>(Map.of("ran", "ran"));
		}

		@Override
		public TreeMap<String, String> treeMapResult() {
			return new TreeMap<>(Map.of("ran", "ran"));
		}

		@Override
		public Stream<String> streamResult() {
			return Stream.of("ran");
		}

		@Override
		public IntStream intStreamResult() {
			return IntStream.of(1);
		}

		@Override
		public String[] stringsResult() {
			return new String[] { "ran" };
		}

		@Override
		public int[] intsResult() {
			return new int[] { 1 };
		}

	}

	interface Few {

		void voidResult();

		int intResult();

		String stringResult();

		Optional<String> optionalResult();

		List<String> listResult();

	}

	@DistributedLock("'k'")
	static class Plain implements Few {

		@Override
		public void voidResult() {
		}

		@Override
		public int intResult() {
			return 1;
		}

		@Override
		public String stringResult() {
			return "ran";
		}

		@Override
		public Optional<String> optionalResult() {
			return Optional.of("ran");
		}

		@Override
		public List<String> listResult() {
			return List.of("ran");
		}

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
