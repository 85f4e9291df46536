package io.github.distlock.aop;

import java.lang.reflect.Array;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import io.github.distlock.LockFailure;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.OnFailure;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.core.CollectionFactory;
import org.springframework.core.KotlinDetector;
import org.springframework.core.Nullness;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;

/**
 * Skips the call and returns the empty value of the return type. Mutable values are
 * created for each call, because they belong to the caller.
 *
 * @param empty creates the empty value
 */
record SkipPolicy(Supplier<@Nullable Object> empty) implements FailurePolicy {

	private static final Map<Class<?>, Supplier<@Nullable Object>> EMPTY = Map.ofEntries(
			Map.entry(Optional.class, Optional::empty), Map.entry(OptionalInt.class, OptionalInt::empty),
			Map.entry(OptionalLong.class, OptionalLong::empty), Map.entry(OptionalDouble.class, OptionalDouble::empty),
			Map.entry(Stream.class, Stream::empty), Map.entry(IntStream.class, IntStream::empty),
			Map.entry(LongStream.class, LongStream::empty), Map.entry(DoubleStream.class, DoubleStream::empty),
			Map.entry(Iterable.class, ArrayList::new), Map.entry(Iterator.class, Collections::emptyIterator),
			Map.entry(Queue.class, ArrayDeque::new), Map.entry(Deque.class, ArrayDeque::new));

	/**
	 * Create the policy for a method.
	 * @throws io.github.distlock.LockDefinitionException if the return type has no empty
	 * value
	 */
	static SkipPolicy of(LockedMethod method) {
		ResolvableType declared = SuspendingFunction.returnType(method.method(), method.beanClass());
		Class<?> type = declared.toClass();
		if (type.isPrimitive() && type != void.class) {
			throw refuse(method, type);
		}
		Supplier<@Nullable Object> empty = empty(declared, method);
		try {
			// Callers in Kotlin rely on a type that is not nullable.
			if (empty.get() == null && type != void.class && !type.getName().equals("kotlin.Unit")
					&& KotlinDetector.isKotlinReflectPresent()
					&& KotlinDetector.isKotlinType(method.method().getDeclaringClass())
					&& Nullness.forMethodReturnType(method.method()) == Nullness.NON_NULL) {
				throw refuse(method, type);
			}
			return new SkipPolicy(empty);
		}
		catch (IllegalArgumentException | UnsupportedOperationException ex) {
			// A class of collections without a suitable constructor.
			throw refuse(method, type);
		}
	}

	private static Supplier<@Nullable Object> empty(ResolvableType declared, LockedMethod method) {
		Class<?> type = declared.toClass();
		if (type.isAssignableFrom(CompletableFuture.class) && Future.class.isAssignableFrom(type)
				|| type == CompletionStage.class) {
			// A completed future with an empty value.
			Supplier<@Nullable Object> held = empty(declared.getGeneric(0), method);
			return () -> CompletableFuture.completedFuture(held.get());
		}
		ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
		if (adapter != null && !adapter.supportsEmpty()) {
			throw refuse(method, type);
		}
		if (adapter != null) {
			return adapter.getDescriptor()::getEmptyValue;
		}
		if (type.isArray()) {
			return () -> Array.newInstance(type.getComponentType(), 0);
		}
		Supplier<@Nullable Object> other = () -> null;
		if (Collection.class.isAssignableFrom(type)) {
			other = () -> CollectionFactory.createCollection(type, 0);
		}
		else if (Map.class.isAssignableFrom(type)) {
			other = () -> CollectionFactory.createMap(type, 0);
		}
		return EMPTY.getOrDefault(type, other);
	}

	private static RuntimeException refuse(LockedMethod method, Class<?> type) {
		return method.refuse("onFailure", OnFailure.SKIP, "is on a method that returns " + type.getTypeName()
				+ ", which has no empty value for a skipped call: "
				+ "return a nullable type, an Optional, or an interface such as List, Set or Map, use a fallback, "
				+ "or use OnFailure.THROW");
	}

	@Override
	public @Nullable Object result(MethodInvocation invocation, LockFailure failure) {
		if (failure.exception() instanceof LockNotAcquiredException) {
			return this.empty.get();
		}
		throw failure.exception();
	}

}
