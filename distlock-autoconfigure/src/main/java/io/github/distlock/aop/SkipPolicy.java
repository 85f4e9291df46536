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
import org.springframework.util.ClassUtils;

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
		Class<?> type = method.method().getReturnType();
		if (type.isPrimitive() && type != void.class) {
			throw refuse(method, "which has no value for a skipped call: return "
					+ ClassUtils.resolvePrimitiveIfNecessary(type).getSimpleName() + " or an Optional");
		}
		Supplier<@Nullable Object> empty = empty(returnType(method), method);
		if (empty.get() == null && isNotNullable(method)) {
			throw refuse(method, "which is not nullable: declare a nullable type");
		}
		return new SkipPolicy(empty);
	}

	private static ResolvableType returnType(LockedMethod method) {
		return SuspendingFunction.returnType(method.method(), method.beanClass());
	}

	/** Callers in Kotlin rely on a type that is not nullable. */
	private static boolean isNotNullable(LockedMethod method) {
		Class<?> type = returnType(method).toClass();
		return KotlinDetector.isKotlinReflectPresent()
				&& KotlinDetector.isKotlinType(method.method().getDeclaringClass()) && type != void.class
				&& !type.getName().equals("kotlin.Unit")
				&& Nullness.forMethodReturnType(method.method()) == Nullness.NON_NULL;
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
			throw refuse(method, "which cannot be empty: return a type that can, such as Mono or Maybe");
		}
		Supplier<@Nullable Object> value = (adapter != null) ? adapter.getDescriptor()::getEmptyValue : EMPTY.get(type);
		return (value != null) ? value : container(type, method);
	}

	private static Supplier<@Nullable Object> container(Class<?> type, LockedMethod method) {
		Supplier<@Nullable Object> empty;
		if (type.isArray()) {
			empty = () -> Array.newInstance(type.getComponentType(), 0);
		}
		else if (Collection.class.isAssignableFrom(type)) {
			empty = () -> CollectionFactory.createCollection(type, 0);
		}
		else if (Map.class.isAssignableFrom(type)) {
			empty = () -> CollectionFactory.createMap(type, 0);
		}
		else {
			return () -> null;
		}
		try {
			empty.get();
			return empty;
		}
		catch (RuntimeException ex) {
			throw refuse(method,
					"of which no empty instance can be created: return an interface such as List, Set or Map, or "
							+ "use a fallback");
		}
	}

	private static RuntimeException refuse(LockedMethod method, String problem) {
		return method.refuse("onFailure", OnFailure.SKIP, "is on a method that returns "
				+ returnType(method).toClass().getTypeName() + ", " + problem + ", or use OnFailure.THROW");
	}

	@Override
	public @Nullable Object result(MethodInvocation invocation, LockFailure failure) {
		if (failure.exception() instanceof LockNotAcquiredException) {
			return emptyResult();
		}
		throw failure.exception();
	}

	@Override
	public boolean isSkip() {
		return true;
	}

	@Override
	public @Nullable Object emptyResult() {
		return this.empty.get();
	}

}
