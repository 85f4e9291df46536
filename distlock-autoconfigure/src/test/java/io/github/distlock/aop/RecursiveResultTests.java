package io.github.distlock.aop;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.github.distlock.DistributedLock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Tests return types that refer to themselves, which {@link ResultTypeCheck} searches.
 */
class RecursiveResultTests {

	@Test
	void typesThatReferToThemselvesEndTheSearch() {
		LockedApplication.of(Recursive.class).start().close();
	}

	static class Node extends ArrayList<Node> {

	}

	static class Tree<T extends Tree<T>> extends ArrayList<T> {

	}

	static class Recursive {

		@DistributedLock
		public <T extends Comparable<T>> @Nullable T comparable() {
			return null;
		}

		@DistributedLock
		public <T extends List<T>> @Nullable T list() {
			return null;
		}

		@DistributedLock
		public <T extends Map<? extends T, List<? super T>>> Optional<T> map() {
			return Optional.empty();
		}

		@DistributedLock
		public <A extends List<B>, B extends List<A>> @Nullable A mutual() {
			return null;
		}

		@DistributedLock
		public <E extends Enum<E>> List<E> constants() {
			return List.of();
		}

		@DistributedLock
		public @Nullable Node node() {
			return null;
		}

		@DistributedLock
		public <T extends Tree<T>> @Nullable Tree<T> tree() {
			return null;
		}

		@DistributedLock
		public @Nullable Tree<?> anyTree() {
			return null;
		}

		@DistributedLock
		@SuppressWarnings("rawtypes")
		public @Nullable Tree rawTree() {
			return null;
		}

		@DistributedLock
		public <T extends List<T>> T @Nullable [] array() {
			return null;
		}

	}

}
