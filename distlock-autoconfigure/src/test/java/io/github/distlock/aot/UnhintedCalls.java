package io.github.distlock.aot;

import java.lang.reflect.Member;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.aot.agent.RecordedInvocation;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.TypeHint;
import org.springframework.aot.hint.TypeReference;
import org.springframework.util.ClassUtils;

/**
 * Finds the reflective calls that a native image would refuse: those that the library and
 * the expressions of its annotations make, and those that other code makes on its types
 * and on the locked types of the application.
 */
final class UnhintedCalls {

	private static final String BASE = "io.github.distlock.";

	private static final String APPLICATION = "io.github.distlock.aot.";

	private static final String FINDER = "io.github.distlock.aop.LockAnnotationFinder.";

	private static final String EXPRESSION = "org.springframework.expression.";

	/** Looked up in each bean class, and never annotated. */
	private static final Set<String> METHODS_OF_OBJECT = Set.of("equals", "hashCode", "toString");

	private UnhintedCalls() {
	}

	static Collection<String> of(List<RecordedInvocation> recorded) {
		RuntimeHints hints = hints();
		SortedSet<String> calls = new TreeSet<>();
		for (RecordedInvocation invocation : recorded) {
			String caller = caller(invocation);
			List<String> targets = targets(invocation);
			if (concerns(invocation, caller, targets) && !matches(invocation, hints)) {
				calls.add(invocation.getMethodReference() + " " + String.join(", ", targets) + " from " + caller);
			}
		}
		return calls;
	}

	private static boolean concerns(RecordedInvocation invocation, String caller, List<String> targets) {
		// A proxy class of the JDK looks up the methods of its interfaces.
		if (caller.contains(".$Proxy") || isLookupWithoutResult(invocation)) {
			return false;
		}
		boolean ofApplication = targets.stream().anyMatch((target) -> target.contains(APPLICATION));
		if (isLookup(invocation)) {
			// The members of a bean without locks need not be found.
			boolean search = caller.startsWith(FINDER) || caller.startsWith("org.springframework.");
			return search ? ofApplication && !isUnlocked(targets) : caller.startsWith(BASE);
		}
		return caller.startsWith(BASE) || caller.startsWith(EXPRESSION)
				|| targets.stream().anyMatch((target) -> target.contains(BASE));
	}

	private static boolean isLookup(RecordedInvocation invocation) {
		String method = invocation.getMethodReference().toString();
		return method.contains("Class#get") && !method.contains("Class#getResource");
	}

	/** A member or class that does not exist on the JVM is not needed in an image. */
	private static boolean isLookupWithoutResult(RecordedInvocation invocation) {
		return invocation.getReturnValue() == null && !invocation.getMethodReference().toString().contains("#invoke")
				&& !invocation.getMethodReference().toString().contains("#set");
	}

	private static boolean isUnlocked(List<String> targets) {
		return targets.stream()
			.anyMatch((target) -> target.startsWith(AheadOfTimeApplication.class.getName())
					|| target.startsWith(AheadOfTimeRun.class.getName()) || METHODS_OF_OBJECT.contains(target));
	}

	private static boolean matches(RecordedInvocation invocation, RuntimeHints hints) {
		try {
			return invocation.matches(hints);
		}
		catch (RuntimeException ex) {
			return false;
		}
	}

	/** What is accessed: a type, the type of a member, interfaces, or a resource. */
	private static List<String> targets(RecordedInvocation invocation) {
		Object instance = invocation.isStatic() ? null : invocation.getInstance();
		if (instance instanceof Member member) {
			return List.of(member.getDeclaringClass().getName(), member.getName());
		}
		Stream<Object> arguments = invocation.getArguments().stream();
		return Stream.concat(Stream.ofNullable(instance), arguments).flatMap(UnhintedCalls::names).toList();
	}

	private static Stream<String> names(@Nullable Object value) {
		if (value instanceof Class<?> type) {
			return Stream.of(type.getName());
		}
		if (value instanceof Class<?>[] types) {
			return Arrays.stream(types).map(Class::getName);
		}
		return (value instanceof String name) ? Stream.of(ClassUtils.convertResourcePathToClassName(name))
				: Stream.empty();
	}

	private static String caller(RecordedInvocation invocation) {
		return invocation.getStackFrames()
			.map(StackWalker.StackFrame::toString)
			.filter((frame) -> !frame.startsWith("org.springframework.aot.agent")
					&& !frame.startsWith("org.springframework.util.") && !frame.startsWith("java."))
			.findFirst()
			.orElse("");
	}

	private static final String FILE = "/META-INF/native-image/io.github.distlock/ahead-of-time/reachability-metadata.json";

	private static final Map<String, MemberCategory> CATEGORIES = Map.of("allDeclaredConstructors",
			MemberCategory.INVOKE_DECLARED_CONSTRUCTORS, "allPublicConstructors",
			MemberCategory.INVOKE_PUBLIC_CONSTRUCTORS, "allDeclaredMethods", MemberCategory.INVOKE_DECLARED_METHODS,
			"allPublicMethods", MemberCategory.INVOKE_PUBLIC_METHODS, "allDeclaredFields",
			MemberCategory.ACCESS_DECLARED_FIELDS, "allPublicFields", MemberCategory.ACCESS_PUBLIC_FIELDS,
			"unsafeAllocated", MemberCategory.UNSAFE_ALLOCATED);

	/** Read what GraalVM knows of an application's access by reflection. */
	private static RuntimeHints hints() {
		RuntimeHints hints = new RuntimeHints();
		JsonNode root = JsonMapper.shared().readTree(UnhintedCalls.class.getResourceAsStream(FILE));
		root.path("reflection").forEach((entry) -> {
			JsonNode type = entry.path("type");
			if (type.isString()) {
				hints.reflection()
					.registerType(TypeReference.of(type.asString()), (builder) -> readType(builder, entry));
			}
			else {
				hints.proxies().registerJdkProxy(types(type.path("proxy")).toArray(TypeReference[]::new));
			}
		});
		root.path("resources").forEach((entry) -> {
			if (entry.has("glob")) {
				hints.resources().registerPattern(entry.path("glob").asString());
			}
		});
		return hints;
	}

	private static void readType(TypeHint.Builder type, JsonNode entry) {
		CATEGORIES.forEach((name, category) -> {
			if (entry.path(name).asBoolean(false)) {
				type.withMembers(category);
			}
		});
		if (entry.path("allDeclaredFields").asBoolean(false)) {
			// They include the public fields of the type itself.
			type.withMembers(MemberCategory.ACCESS_PUBLIC_FIELDS);
		}
		entry.path("fields").forEach((field) -> type.withField(field.path("name").asString()));
		entry.path("methods").forEach((method) -> {
			String name = method.path("name").asString();
			List<TypeReference> parameters = types(method.path("parameterTypes")).toList();
			if (name.equals("<init>")) {
				type.withConstructor(parameters, ExecutableMode.INVOKE);
			}
			else {
				type.withMethod(name, parameters, ExecutableMode.INVOKE);
			}
		});
	}

	private static Stream<TypeReference> types(JsonNode names) {
		return StreamSupport.stream(names.spliterator(), false).map((name) -> TypeReference.of(name.asString()));
	}

}
