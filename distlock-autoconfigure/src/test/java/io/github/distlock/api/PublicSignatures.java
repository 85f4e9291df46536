package io.github.distlock.api;

import java.lang.reflect.AnnotatedType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.distlock.LockRequest;
import io.github.distlock.contract.StoreUnderTest;
import io.github.distlock.integration.IntegrationLockRegistry;
import io.github.distlock.registry.CompositeLockRegistry;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.function.ThrowingSupplier;

/**
 * One line for each public or protected signature of a type: modifiers, types with
 * nullness, thrown exceptions, defaults of annotations and values of constants.
 */
final class PublicSignatures {

	private static final int KEPT_MODIFIERS = Modifier.PUBLIC | Modifier.PROTECTED | Modifier.ABSTRACT | Modifier.STATIC
			| Modifier.FINAL;

	private PublicSignatures() {
	}

	/** Return the lines of a type. */
	static List<String> of(Class<?> type) {
		List<String> lines = new ArrayList<>(List.of(declaration(type)));
		Stream.of(type.getDeclaredConstructors())
			// Each new attribute changes it, so it is not supported.
			.filter((constructor) -> isVisible(constructor) && type != LockRequest.class)
			.forEach((constructor) -> lines.add(constructor(constructor)));
		Stream.of(type.getDeclaredMethods())
			.filter((method) -> isVisible(method) && !isGiven(method))
			.forEach((method) -> lines.add(method(method)));
		Stream.of(type.getDeclaredFields())
			.filter(PublicSignatures::isVisible)
			.forEach((field) -> lines.add(field(field)));
		return lines;
	}

	/** Return the lines of a record as JSON: the names and types of its components. */
	static List<String> ofAnswer(Class<?> type) {
		return Arrays.stream(type.getRecordComponents())
			.map((component) -> name(type) + "." + component.getName() + ": " + text(component.getAnnotatedType()))
			.toList();
	}

	static boolean isVisible(Class<?> type) {
		return isVisible(type.getModifiers());
	}

	private static boolean isVisible(Member member) {
		return isVisible(member.getModifiers()) && !member.isSynthetic();
	}

	/** Return whether each enumeration or record has this method. */
	private static boolean isGiven(Method method) {
		Class<?> type = method.getDeclaringClass();
		return (type.isEnum() && List.of("values", "valueOf").contains(method.getName()))
				|| (type.isRecord() && List.of("equals", "hashCode", "toString").contains(method.getName()));
	}

	private static boolean isVisible(int modifiers) {
		return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
	}

	private static String declaration(Class<?> type) {
		String kind = type.isAnnotation() ? "@interface"
				: type.isInterface() ? "interface" : type.isEnum() ? "enum" : type.isRecord() ? "record" : "class";
		String parents = Stream
			.concat(Stream.ofNullable(type.isRecord() || type.isEnum() ? null : type.getAnnotatedSuperclass()),
					Stream.of(type.getAnnotatedInterfaces()))
			.map(PublicSignatures::text)
			.filter((parent) -> !parent.equals("Object") && !parent.equals("annotation.Annotation"))
			.collect(Collectors.joining(", "));
		return name(type) + ": " + modifiers(type.getModifiers(), type.isInterface())
				+ (type.isSealed() ? "sealed " : "") + kind + parameters(type.getTypeParameters())
				+ (parents.isEmpty() ? "" : " of " + parents);
	}

	private static String constructor(Constructor<?> constructor) {
		return name(constructor.getDeclaringClass()) + ".new" + arguments(constructor) + ": "
				+ modifiers(constructor.getModifiers(), false).strip() + thrown(constructor);
	}

	private static String method(Method method) {
		Object value = method.getDefaultValue();
		return name(method.getDeclaringClass()) + "." + method.getName() + arguments(method) + ": "
				+ modifiers(method.getModifiers(), false) + (method.isDefault() ? "default " : "")
				+ parameters(method.getTypeParameters()) + text(method.getAnnotatedReturnType()) + thrown(method)
				+ ((value != null) ? " = " + value(value) : "");
	}

	private static String field(Field field) {
		return name(field.getDeclaringClass()) + "." + field.getName() + ": " + modifiers(field.getModifiers(), false)
				+ text(field.getAnnotatedType()) + constant(field);
	}

	/** Return the value of a constant that compilers copy into the code of users. */
	private static String constant(Field field) {
		boolean copied = field.getType().isPrimitive() || field.getType() == String.class;
		if (!copied || !Modifier.isStatic(field.getModifiers()) || !Modifier.isFinal(field.getModifiers())) {
			return "";
		}
		return " = " + value(ReflectionUtils.getField(field, null));
	}

	private static String value(@Nullable Object value) {
		if (value instanceof Object[] values) {
			return Stream.of(values).map(PublicSignatures::value).collect(Collectors.joining(", ", "{", "}"));
		}
		return (value instanceof Class<?> type) ? name(type)
				: (value instanceof String) ? "\"" + value + "\"" : "" + value;
	}

	private static String arguments(Executable executable) {
		return Stream.of(executable.getParameters())
			.map(Parameter::getAnnotatedType)
			.map(PublicSignatures::text)
			.collect(Collectors.joining(", ", "(", ")"));
	}

	private static String thrown(Executable executable) {
		String types = Stream.of(executable.getAnnotatedExceptionTypes())
			.map(PublicSignatures::text)
			.collect(Collectors.joining(", "));
		return types.isEmpty() ? "" : " throws " + types;
	}

	private static String parameters(java.lang.reflect.TypeVariable<?>[] parameters) {
		return (parameters.length == 0) ? ""
				: Stream.of(parameters)
					.map((parameter) -> parameter.getName() + " extends "
							+ Stream.of(parameter.getAnnotatedBounds())
								.map(PublicSignatures::text)
								.collect(Collectors.joining(" & ")))
					.collect(Collectors.joining(", ", "<", "> "));
	}

	private static String modifiers(int modifiers, boolean isInterface) {
		String text = Modifier.toString(modifiers & KEPT_MODIFIERS & (isInterface ? ~Modifier.ABSTRACT : ~0));
		return text.isEmpty() ? "" : text + " ";
	}

	/** Return a type as it is written: with {@code @Nullable}, and short names. */
	private static String text(AnnotatedType type) {
		return type.toString()
			.replace("@org.jspecify.annotations.Nullable()", "@Nullable")
			.replace("@org.jspecify.annotations.Nullable", "@Nullable")
			.replace("io.github.distlock.", "")
			.replace("java.lang.", "")
			.replace("java.util.", "")
			.replace("java.time.", "");
	}

	private static String name(Class<?> type) {
		return type.getTypeName();
	}

	/** The types that users compile against, or name in their configuration. */
	static final class PublishedTypes {

		private static final String ROOT = "io.github.distlock";

		/** Of another module, whose sources are compiled with the tests of this one. */
		private static final String SLICE = ROOT + ".test";

		/** Packages of which each public type is API. */
		private static final List<String> PACKAGES = List.of("", ".backend", ".test", ".observation");

		/** Of the observations, the door of the library itself is not API. */
		private static final List<String> INTERNAL = List.of(ROOT + ".observation.LockObservation",
				ROOT + ".observation.LockObserver", ROOT + ".observation.LockObservers",
				ROOT + ".observation.LockedWork", ROOT + ".observation.LockedWork$ObservedWork");

		/** Return the types of which users see all public and protected members. */
		static List<Class<?>> api() {
			List<Class<?>> types = new ArrayList<>(
					List.of(CompositeLockRegistry.class, IntegrationLockRegistry.class, StoreUnderTest.class));
			PACKAGES.forEach((name) -> types.addAll(publicTypes(ROOT + name)));
			types.removeIf((type) -> INTERNAL.contains(type.getName()));
			return withNested(types);
		}

		/** Return the records that the endpoint answers as JSON. */
		static List<Class<?>> answers() {
			return withNested(publicTypes(ROOT + ".actuate")).stream()
				.filter((type) -> type.getSimpleName().endsWith("Descriptor"))
				.toList();
		}

		/**
		 * Return the names that users write into {@code spring.autoconfigure.exclude}.
		 */
		static List<String> autoConfigurations() {
			return ImportCandidates.load(AutoConfiguration.class, null)
				.getCandidates()
				.stream()
				.filter((name) -> name.startsWith(ROOT))
				.toList();
		}

		private static List<Class<?>> publicTypes(String name) {
			Resource[] files = ThrowingSupplier
				.of(() -> new PathMatchingResourcePatternResolver()
					.getResources("classpath*:" + ClassUtils.convertClassNameToResourcePath(name) + "/*.class"))
				.get();
			return Stream.of(files)
				.filter((file) -> name.equals(SLICE) || !file.getDescription().contains("test-classes"))
				.map((file) -> String.valueOf(file.getFilename()).replace(".class", ""))
				.filter((type) -> !type.contains("$") && !type.equals("package-info"))
				.<Class<?>>map((type) -> ClassUtils.resolveClassName(name + "." + type, null))
				.filter((type) -> Modifier.isPublic(type.getModifiers()))
				.toList();
		}

		private static List<Class<?>> withNested(List<Class<?>> types) {
			List<Class<?>> all = new ArrayList<>(types);
			for (Class<?> type : types) {
				List<Class<?>> nested = Stream.of(type.getDeclaredClasses())
					.filter(PublicSignatures::isVisible)
					.toList();
				all.addAll(withNested(nested));
			}
			return all;
		}

	}

}
