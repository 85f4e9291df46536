package io.github.distlock.actuate;

import java.nio.charset.StandardCharsets;

import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.Resource;
import org.springframework.util.MimeType;

/**
 * {@link EndpointWebExtension @EndpointWebExtension} that answers a read by a browser
 * with a page. The page contains no values: its script reads the JSON of
 * {@link DistlocksEndpoint} from the same address, so each caller sees there what the
 * endpoint shows to this caller.
 * <p>
 * It is an operation of its own, and not a second format of the existing one, so that the
 * JSON and its caching do not depend on the page. Browsers are recognized by XHTML, which
 * all of them accept: {@link java.net.URL} accepts HTML, too. A read that accepts
 * anything, as with {@code *}{@code /*}, gets the JSON: MVC and WebFlux compare media
 * types by the alphabet, and to a framework that compares qualities the page says that
 * its own is lower.
 */
@EndpointWebExtension(endpoint = DistlocksEndpoint.class)
public class DistlocksPage {

	/** The page, which is one file. */
	public static final String FILE = "io/github/distlock/actuate/distlocks.html";

	private static final MimeType HTML = new MimeType("text", "html", StandardCharsets.UTF_8);

	/**
	 * Return the page.
	 * @return the page, without any values
	 */
	@ReadOperation(produces = "application/xhtml+xml;qs=0.5")
	public WebEndpointResponse<Resource> page() {
		return new WebEndpointResponse<>(new ClassPathResource(FILE), WebEndpointResponse.STATUS_OK, HTML);
	}

}
