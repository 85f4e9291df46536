package io.github.distlock.docs.reference;

import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

import io.github.distlock.actuate.DistlockHealthIndicator;
import io.github.distlock.actuate.DistlocksEndpoint;
import io.github.distlock.actuate.DistlocksEndpointWebExtension;
import io.github.distlock.actuate.ReleaseAudit;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * The actuator endpoint, its audit events, and the health of the stores.
 */
record EndpointSection(SourceDocs docs) {

	private static final String ACTUATE = DistlocksEndpoint.class.getPackageName();

	void write(Markdown page) {
		String id = DistlocksEndpoint.class.getAnnotation(Endpoint.class).id();
		page.add("## Actuator endpoint " + Markdown.code(id));
		page.add("Sessions and the fields of the answers: [endpoint.md](endpoint.md).");
		Map<String, String> parameters = new LinkedHashMap<>();
		page.table("Request", "Parameters", "Description");
		for (String name : this.docs.members(DistlocksEndpointWebExtension.class)) {
			for (Method method : DistlocksEndpointWebExtension.class.getDeclaredMethods()) {
				if (method.getName().equals(name) && verb(method) != null) {
					page.row(Markdown.code(verb(method) + " /actuator/" + id + path(method)),
							parameters(method).stream().map(Markdown::code).collect(Collectors.joining(", ")),
							this.docs.of(DistlocksEndpointWebExtension.class, name));
					parameters(method).forEach((parameter) -> parameters.putIfAbsent(parameter,
							this.docs.parameter(DistlocksEndpointWebExtension.class, name, parameter)));
				}
			}
		}
		page.end();
		page.table("Parameter", "Description");
		parameters.forEach((name, text) -> page.row(Markdown.code(name), capital(text)));
		page.end();
		page.add("A refused request is answered with one of these statuses and a message that contains the reason.");
		page.table("Status", "Description");
		for (Enum<?> refusal : constants(ACTUATE + ".RefusedOperationException$Refusal")) {
			page.row(String.valueOf(call(refusal, "status")), this.docs.of(refusal));
		}
		page.end();
		page.add("### Audit events");
		page.add(this.docs.of(ReleaseAudit.class));
		page.table("Type", "Description")
			.row(Markdown.code(ReleaseAudit.RELEASED), this.docs.of(ReleaseAudit.class, "RELEASED"))
			.row(Markdown.code(ReleaseAudit.REFUSED), this.docs.of(ReleaseAudit.class, "REFUSED"))
			.end();
		page.add("## Health");
		page.add(this.docs.of(DistlockHealthIndicator.class) + " An example: [endpoint.md](endpoint.md).");
		page.table("Detail", "Description");
		for (Enum<?> detail : constants(ACTUATE + ".HealthDetail")) {
			page.row(Markdown.code(call(detail, "detailName")), this.docs.of(detail));
		}
		page.end();
	}

	private static @Nullable String verb(Method method) {
		return method.isAnnotationPresent(ReadOperation.class) ? "GET"
				: method.isAnnotationPresent(DeleteOperation.class) ? "DELETE" : null;
	}

	private static String path(Method method) {
		return Arrays.stream(method.getParameters())
			.filter((parameter) -> parameter.isAnnotationPresent(Selector.class))
			.map((parameter) -> "/{" + parameter.getName() + "}")
			.collect(Collectors.joining());
	}

	private static List<String> parameters(Method method) {
		List<String> names = new ArrayList<>();
		for (Parameter parameter : method.getParameters()) {
			if (parameter.getType() != SecurityContext.class && !parameter.isAnnotationPresent(Selector.class)) {
				names.add(parameter.getName());
			}
		}
		return names;
	}

	private static List<Enum<?>> constants(String type) {
		List<Enum<?>> constants = new ArrayList<>();
		for (Object constant : ClassUtils.resolveClassName(type, null).getEnumConstants()) {
			constants.add((Enum<?>) constant);
		}
		return constants;
	}

	private static Object call(Enum<?> constant, String method) {
		Method accessor = Objects.requireNonNull(ReflectionUtils.findMethod(constant.getDeclaringClass(), method));
		ReflectionUtils.makeAccessible(accessor);
		return Objects.requireNonNull(ReflectionUtils.invokeMethod(accessor, constant));
	}

	private static String capital(String text) {
		return Character.toUpperCase(text.charAt(0)) + text.substring(1);
	}

}
